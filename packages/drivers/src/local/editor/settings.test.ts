import { expect, onTestFinished, test } from 'vitest'
import type { Endpoint } from '../../driver.ts'
import { askInstance, bearer, signIn } from '../../testing/instance.http.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'

const refused = 'node-red-node-random'
const install = async (endpoint: Endpoint, adminRoot = '') => {
  const headers = bearer(await signIn(endpoint, adminRoot))
  return askInstance(endpoint, `${adminRoot}/nodes`, { body: { module: refused, version: '0.4.1' }, headers })
}

/** Flows in which `GET /<id>` runs this code in a function node with these modules. */
const codeAt = (id: string, func: string, modules: string[] = []) => [
  { id, type: 'tab', label: id },
  { id: `${id}-in`, z: id, type: 'http in', url: `/${id}`, method: 'get', wires: [[`${id}-fn`]] },
  {
    id: `${id}-fn`,
    z: id,
    type: 'function',
    func,
    outputs: 1,
    libs: modules.map((module) => ({ var: module, module })),
    wires: [[`${id}-out`]],
  },
  { id: `${id}-out`, z: id, type: 'http response', wires: [] },
]

async function started(version: string, settings: object, flows: object[], env = {}) {
  const local = await openLocal()
  onTestFinished(() => local.close())
  local.platform.behaviour.settings = { ...settings }
  local.platform.behaviour.env = env
  const spec = local.spec(version)
  local.putFlows(spec.id, flows)
  await local.driver.start(spec)
  await runs(local.driver, spec.id)
  return { ...local, id: spec.id, endpoint: local.driver.endpoint(spec.id)! }
}

test.each(versions)('Node-RED %s looks and behaves as its settings say', async (version) => {
  const { endpoint, driver, id } = await started(
    version,
    {
      httpAdminRoot: 'admin',
      disableTours: true,
      timeZone: 'Asia/Tokyo',
      page: { title: 'Ovens', favicon: 'https://bakery.example.com/bun.ico' },
      header: { title: 'Line <4>', url: 'https://bakery.example.com' },
      palette: { denyList: [refused], nodesExcludes: '32-udp.js, 90-exec.js' },
      modules: { denyList: ['os'] },
      theme: 'forge-dark',
      codeEditor: 'ace',
    },
    [
      ...codeAt('clock', "msg.payload = [new Date(0).getHours(), env.get('SITE')]; return msg"),
      ...codeAt('allowed', "msg.payload = path.posix.join('a', 'b'); return msg", ['path']),
    ],
    { SITE: 'bakery' },
  )
  const page = await askInstance(endpoint, '/admin/')
  expect(page.text).toContain('<title>Ovens</title>')
  expect(page.text).toContain('forge-dark.css')
  expect((await askInstance(endpoint, '/admin/theme/css/forge-dark.css')).status).toBe(200)
  // The root is left to the flows.
  expect((await askInstance(endpoint, '/')).status).toBe(404)
  expect(JSON.parse((await askInstance(endpoint, '/clock')).text)).toEqual([9, 'bakery'])
  expect((await askInstance(endpoint, '/allowed')).text).toBe('a/b')

  const headers = { ...bearer(await signIn(endpoint, '/admin')), accept: 'application/json' }
  const read = async (path: string): Promise<unknown> =>
    JSON.parse((await askInstance(endpoint, `/admin${path}`, { headers })).text)
  expect(await read('/settings')).toMatchObject({ codeEditor: { lib: 'ace' }, editorTheme: { tours: false } })
  expect(await read('/theme')).toMatchObject({
    // The editor puts it into its page as HTML.
    header: { title: 'Line &#60;4&#62;', url: 'https://bakery.example.com', image: 'theme/header/flowforge.svg' },
  })
  expect(await read('/forge/instance')).toMatchObject({ favicon: 'https://bakery.example.com/bun.ico' })
  const types = ((await read('/nodes')) as { types: string[] }[]).flatMap((set) => set.types)
  expect(['tcp in', 'udp in', 'exec'].map((type) => types.includes(type))).toEqual([true, false, false])
  const answer = await install(endpoint, '/admin')
  expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('install_not_allowed')])

  const body = codeAt('denied', 'msg.payload = os.hostname(); return msg', ['os'])
  await askInstance(endpoint, '/admin/flows', { body, headers })
  await until('the refusal is logged', async () =>
    (await driver.logs(id, { limit: 100 })).some(({ msg }) => msg.includes('os [module_not_allowed]')),
  )
  expect((await askInstance(endpoint, '/denied')).status).toBe(404)
})

test('an instance whose editor is disabled has its flows alone', async () => {
  const { endpoint } = await started(
    versions[1],
    { disableEditor: true },
    codeAt('do', "msg.payload = 'well'; return msg"),
  )
  expect((await askInstance(endpoint, '/do')).text).toBe('well')
  const page = await askInstance(endpoint, '/', { headers: { accept: 'text/html' } })
  expect([page.status, page.text]).toEqual([404, expect.not.stringContaining('red-ui')])
})

test('a variable that was saved before its name was refused is left out, and the log says so', async () => {
  const { endpoint, driver, id } = await started(
    versions[1],
    {},
    codeAt(
      'seen',
      "msg.payload = ['SITE', 'NODE_OPTIONS', 'LD_PRELOAD'].map((name) => env.get(name) ?? ''); return msg",
    ),
    { SITE: 'bakery', NODE_OPTIONS: '--require /tmp/x.js', LD_PRELOAD: '/tmp/x.so' },
  )
  await until('the flow answers', async () => (await askInstance(endpoint, '/seen')).status === 200)
  expect(JSON.parse((await askInstance(endpoint, '/seen')).text)).toEqual(['bakery', '', ''])
  const said = (await driver.logs(id, { limit: 100 })).map(({ msg }) => msg)
  for (const name of ['NODE_OPTIONS', 'LD_PRELOAD'])
    expect(said).toContain(`The variable ${name} is not set: this name is not allowed`)
})

test.each([
  [versions[0], 'http', ['HttpOnly', 'SameSite=Lax']],
  [versions[1], 'https', ['HttpOnly', 'SameSite=Lax', 'Secure']],
])('the cookie of a sign-in to Node-RED %s by %s is kept from other sites', async (version, scheme, expected) => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const one = { ...local.spec(version), instanceUrl: `${scheme}://instance.test` }
  await local.driver.start(one)
  await runs(local.driver, one.id)
  const { headers } = await askInstance(local.driver.endpoint(one.id)!, '/auth/strategy', {
    headers: { 'x-forwarded-proto': scheme },
  })
  const [, ...attributes] = String([headers['set-cookie']].flat()[0]).split('; ')
  expect(attributes.filter((one) => one !== 'Path=/').toSorted()).toEqual(expected)
})
