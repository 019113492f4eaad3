import { expect, test } from 'vitest'
import { openPlatform, send } from '../../../testing/index.ts'

const { server, admin } = await openPlatform()

let serial = 0
const create = (settings: object) =>
  send(server.address, 'POST', '/api/v1/templates', {
    headers: { cookie: admin.cookie },
    body: { name: `Palette ${(serial += 1)}`, settings },
  })
const deny = 'Must be a comma-separated list of nodes[@version]'

test.each([
  [
    { palette_nodesExcludes: 'a.txt' },
    'settings.palette.nodesExcludes',
    'Must be a comma-separated list of .js filenames',
  ],
  [
    { palette_nodesExcludes: 'a.js b.js' },
    'settings.palette.nodesExcludes',
    'Must be a comma-separated list of .js filenames',
  ],
  [{ palette_denyList: 'foo bar' }, 'settings.palette.denyList.0', deny],
  [{ modules_denyList: 'foo bar' }, 'settings.modules.denyList.0', deny],
  [{ modules_denyList: 'foo, bar@' }, 'settings.modules.denyList.1', deny],
])('[PAL-12] [PAL-13] %j is refused at its field', async (settings, field, text) => {
  const { status, json } = await create(settings)
  expect([status, json.fields]).toEqual([400, { [field]: text }])
})

test('[PAL-12] [PAL-13] file names, and names with a version or a wildcard, are accepted in both lists', async () => {
  const list = ['package-name@1.2.3', 'foo@^0.1.0', '@scope/*', 'bar']
  const { status, json } = await create({
    palette_nodesExcludes: 'a.js, b.js',
    palette_denyList: list.join(', '),
    modules_denyList: list.join(),
  })
  expect(status).toBe(200)
  const { settings } = await admin.client.call('template.get', { params: { templateId: String(json.id) } })
  expect(settings.palette).toMatchObject({ nodesExcludes: 'a.js, b.js', denyList: list })
  expect(settings.modules).toMatchObject({ denyList: list })
})
