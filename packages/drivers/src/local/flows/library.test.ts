import { expect, onTestFinished, test } from 'vitest'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const flows = [{ id: 'a', type: 'inject', name: 'ä' }]

test.each(versions)('the editor of Node-RED %s saves to and reads from the library of its team', async (version) => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { platform, run } = local
  platform.behaviour.features = { 'shared-library': true }
  const { endpoint } = await run(version)
  const headers = bearer(await signIn(endpoint))
  const ask = async (path: string) => JSON.parse((await askInstance(endpoint, path, { headers })).text) as object
  expect(await ask('/settings')).toMatchObject({
    libraries: expect.arrayContaining([expect.objectContaining({ id: 'team-library', label: 'Team Library' })]),
  })
  const saved = await askInstance(endpoint, '/library/team-library/flows/press/start%20up', { body: flows, headers })
  expect(saved.status).toBe(204)
  expect(platform.stored.get('library/press/start up')).toMatchObject({ type: 'flows', body: JSON.stringify(flows) })
  expect(await ask('/library/team-library/flows/press/start%20up')).toEqual(flows)
  expect(await ask('/library/team-library/flows/')).toEqual([{ fn: 'press/start up' }])

  const user = { user: 'user-of-alice', editorToken: 'ffu_access' }
  const reported = (name: string) =>
    until(`${name} is reported`, () => platform.audit.find(({ event }) => event === name))
  expect(await reported('library.set')).toMatchObject({ ...user, type: 'flows', path: 'press/start up' })
  const changed = await askInstance(endpoint, '/settings/user', { body: { menu: true }, headers })
  expect(changed.status).toBe(204)
  expect(await reported('settings.update')).toMatchObject(user)
})

test('without the feature the editor offers no team library', async () => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { endpoint } = await local.run()
  const headers = bearer(await signIn(endpoint))
  const { text } = await askInstance(endpoint, '/settings', { headers })
  expect(text).not.toContain('team-library')
})
