import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openServer, openSignOn } from '../../../testing/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { createVault, hashToken, oneKey } from '../../platform/crypto.ts'
import { createSsoRequests } from './requests.service.ts'

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
