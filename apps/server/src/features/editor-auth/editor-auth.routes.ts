import type { RouteIdOf } from '@app/contract'
import type { FastifyReply } from 'fastify'
import type { Handlers } from '../../platform/http/context.ts'
import { Failure } from '../../platform/http/failure.ts'
import type { SignInCookie } from './sign-in-cookie.ts'
import { invalidRedirect, type EditorAuth, OauthFault } from './editor-auth.service.ts'

/** OAuth clients expect `{error, description}`, not the platform's envelope. */
async function answering<T>(reply: FastifyReply, work: () => Promise<T>): Promise<T | void> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof OauthFault)) throw error
    const isPerson = /\btext\/html\b/.test(reply.request.headers.accept ?? '')
    if (isPerson && error.message === invalidRedirect)
      return void (await reply
        .code(400)
        .type('text/plain; charset=utf-8')
        .send(
          'This editor was started under an address that the platform does not have any more. Restart the instance in the console, then open its editor there.',
        ))
    await reply.code(400).send({ error: error.error, description: error.message })
  }
}

export function editorAuthHandlers(
  editorAuth: EditorAuth,
  browser: SignInCookie,
): Handlers<RouteIdOf<'editorAuth'> | 'account.accessRequest'> {
  return {
    async 'editorAuth.authorize'({ actor, request, reply }, { query }) {
      await answering(reply, async () => {
        const answer = await editorAuth.authorize(query, actor.address, browser.keep(request, reply))
        if ('redirect' in answer) return reply.redirect(answer.redirect)
        const signedIn = actor.kind === 'user' && !actor.locked
        return reply.redirect(
          signedIn ? `/account/complete/${answer.requestId}` : `/account/request/${answer.requestId}/editor`,
        )
      })
    },
    'account.accessRequest': async ({ request }, { params }) =>
      editorAuth.describe(params.requestId, browser.of(request)),
    async 'editorAuth.complete'({ actor, request, reply }, { params }) {
      try {
        await reply.redirect(await editorAuth.complete(actor, params.requestId, browser.of(request)))
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'access_denied') throw error
        // A person looks at this, not a program.
        await reply.code(error.status).type('text/plain; charset=utf-8').send(error.message)
      }
    },
    async 'editorAuth.reject'({ request, reply }, { params }) {
      await reply.redirect(await editorAuth.reject(params.requestId, browser.of(request)))
    },
    'editorAuth.token': async ({ reply }, { body }) => answering(reply, async () => editorAuth.exchange(body)),
  }
}
