import type { ErrorCode } from '@app/contract'
import { fastify } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { errorReply, fail } from '../src/platform/http/failure.ts'
import { checkReplies } from './replies.ts'

/** The faults that are found when the call for the own user is refused with this code. */
async function faultsOf(code: ErrorCode): Promise<string[]> {
  const app = fastify()
  onTestFinished(() => app.close())
  const { faults, watch } = checkReplies()
  watch(app)
  app.get('/api/v1/user', async (_request, reply) => {
    const failure = fail(code)
    return reply.code(failure.status).send(errorReply(failure))
  })
  await app.inject('/api/v1/user')
  return faults
}

test('a refusal with a code that its route does not name is a fault, one that every call may answer is none', async () => {
  expect(await faultsOf('invalid_team')).toEqual([
    'GET /api/v1/user answered 400: the contract does not say that it may answer invalid_team',
  ])
  expect(await faultsOf('unauthorized')).toEqual([])
})
