import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { openServer, openSignOn } from '../../../testing/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { createVault, hashToken, oneKey } from '../../platform/crypto.ts'
import { insertLink } from './identities.store.ts'
import { createSsoRequests } from './requests.service.ts'
import { insertAnswer, insertRequest } from './requests.store.ts'

const server = await openServer()

test('what a request keeps is read again, and values of another shape are refused with the place, not with a value', async () => {
  const sso = await openSignOn(server, await server.build.user({ admin: true }), 'requests.example.com')
  const { database } = server.app
  const vault = createVault(oneKey(randomBytes(32)))
  const requests = createSsoRequests({ database, clock: systemClock, vault })
  const begun = { providerId: sso.params.providerId, browser: 'browser', returnTo: '/team/ovens' }
  await requests.begin({ ...begun, id: 'good', data: { nonce: 'n-1' } })
  expect(await requests.find('good')).toMatchObject({ data: { nonce: 'n-1' }, returnTo: '/team/ovens' })

  await requests.begin({ ...begun, id: 'bad' })
  const at = hashToken('bad')
  const data = vault.seal('{"nonce":1234567}', `sso-request:${at}`)
  await database.read.updateTable('sso_requests').set({ data }).where('id_hash', '=', at).execute()
  const sentence = `sso_requests.data of ${at} cannot be read: nonce does not have the shape that is kept there`
  await expect(requests.find('bad')).rejects.toThrow(new Error(sentence))
})

test('what has expired of requests, answers and links is swept, and nothing else', async () => {
  const person = await server.build.user()
  const { params, close } = await openSignOn(server, await server.build.user({ admin: true }), 'sweeps.example.com')
  onTestFinished(close)
  const { database, services } = server.app
  const now = Date.now()
  const provider_id = params.providerId
  const ends = { old: now - 1_000, new: now + 600_000 }
  await database.transact(async (tx) => {
    for (const [id, expires_at] of Object.entries(ends)) {
      const given = { provider_id, return_to: '/', expires_at }
      await insertRequest(tx, { ...given, id_hash: `swept-${id}`, browser_hash: 'b', data: '' })
      await insertAnswer(tx, { provider_id, id_hash: `swept-${id}`, expires_at })
      await insertLink(tx, { ...given, token_hash: `swept-${id}`, subject: 's', user_id: person.id })
    }
  })
  await services.sweeper.sweep()
  const { read } = database
  const left = [
    await read.selectFrom('sso_requests').select('id_hash as id').where('id_hash', 'like', 'swept-%').execute(),
    await read.selectFrom('sso_answers').select('id_hash as id').where('id_hash', 'like', 'swept-%').execute(),
    await read.selectFrom('sso_links').select('token_hash as id').where('token_hash', 'like', 'swept-%').execute(),
  ]
  expect(left).toEqual(left.map(() => [{ id: 'swept-new' }]))
})
