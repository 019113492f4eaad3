import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { homeWithStacks, instanceCalls, startServer, until } from '../../../testing/index.ts'
import { run } from '../../cli/run.ts'
import { openDriver } from '../../drivers.ts'

const deadline = 150_000
/** `GET /do` answers with a variable that only the platform knows, and with how often it was asked. */
const flows = [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
  {
    id: 'fn',
    z: 'tab',
    type: 'function',
    func: `
      const n = (flow.get('n', 'persistent') ?? 0) + 1
      flow.set('n', n, 'persistent')
      msg.payload = env.get('KEY') + ' ' + n
      return msg`,
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

test('an instance that runs here is backed up, and answers as before on a new platform', {
  timeout: 2 * deadline,
}, async () => {
  const [home, next] = [await homeWithStacks(), await homeWithStacks()]
  const file = join(home, 'all.backup')
  const server = await startServer({ config: { home, databaseUrl: '' }, driver: openDriver })
  const { owner, team } = await server.build.platform()
  const application = await server.build.application(owner, team)
  const before = instanceCalls(() => ({ server, owner, application }))
  const { id } = await server.build.instance(owner, application, 'oven')
  const answers = async (calls: typeof before) => {
    const { text } = await until(
      () => calls.visit('oven', '/do').catch(() => ({ status: 0, text: '' })),
      ({ status, text }) => status === 200 && text.startsWith('bread '),
      deadline,
    )
    return Number(text.split(' ')[1])
  }
  const settings = { env: [{ name: 'KEY', value: 'bread', encrypted: true }] }
  await until(
    () => before.read(id),
    ({ meta }) => meta.state === 'running',
    deadline,
  )
  expect((await before.raw('PUT', `/${id}`, { settings })).status).toBe(200)
  expect((await before.raw('POST', `/${id}/import`, { flows: JSON.stringify(flows) })).status).toBe(200)
  const asked = await answers(before)
  await writeFile(join(home, 'instances', id, 'user/note.txt'), 'kept')
  const said: string[] = []
  const admin = (FORGE_HOME: string, ...args: string[]) =>
    run(args, {
      env: { FORGE_HOME, FORGE_BACKUP_PASSPHRASE: 'four words of mine', FORGE_INSTANCE_UIDS: 'none' },
      folder: home,
      say: (text) => void said.push(text),
      ask: async () => '',
    })
  expect([await admin(home, 'backup', file), said]).toEqual([0, [expect.stringContaining(' 1 instance,')]])
  await server.stop()
  const last = openDriver(server.config)
  await last.adopt()
  await last.stop(id)
  await last.close()

  expect(await admin(next, 'restore', file)).toBe(0)
  const config = { home: next, databaseUrl: '', port: server.config.port, baseUrl: server.config.baseUrl }
  const restored = await startServer({ config, driver: openDriver })
  try {
    expect(await answers(instanceCalls(() => ({ server: restored, owner, application })))).toBe(asked + 1)
    expect(await readFile(join(next, 'instances', id, 'user/note.txt'), 'utf8')).toBe('kept')
  } finally {
    await restored.driver.remove(id)
    await restored.close()
    await rm(home, { recursive: true, force: true })
  }
})
