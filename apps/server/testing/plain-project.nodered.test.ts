import { versionsFor } from '@app/drivers/testing/versions'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort, until } from './index.ts'
import { stacksDir } from './homes.ts'
import { type Node, on, openRealPlatform } from './real.platform.ts'

const credsSecret = 'a secret of its own'
const login = { user: 'baker', password: 'flour' }

/** Answers whoever signs in as `login`. */
async function startOven(): Promise<number> {
  const wanted = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`
  const server = createServer(({ headers }, answer) =>
    answer.writeHead(headers.authorization === wanted ? 200 : 401).end('warm'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** As its editor deploys it: with a note of the modules, and with credentials. */
const project = (port: number): Node[] => [
  { id: 'global', type: 'global-config', env: [], modules: { 'node-red-node-random': '0.4.1' } },
  { id: 'tab', type: 'tab', label: 'Oven' },
  on('in', 'http in', { url: '/roll', method: 'get', wires: [['roll']] }),
  on('roll', 'random', { low: '1', high: '6', inte: 'true', property: 'roll', wires: [['ask']] }),
  on('ask', 'http request', {
    method: 'GET',
    ret: 'txt',
    url: `http://127.0.0.1:${port}/`,
    authType: 'basic',
    credentials: login,
    wires: [['say']],
  }),
  on('say', 'template', { template: '{{payload}} {{roll}}', wires: [['out']] }),
  on('out', 'http response'),
]

/** Deploys flows in a plain Node-RED, and returns the files that it leaves. */
async function filesOfPlain(version: string, flows: Node[]) {
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'forge-plain-')), await freePort()]
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(
    join(folder, 'settings.js'),
    `module.exports = { flowFile: 'flows.json', credentialSecret: '${credsSecret}' }`,
  )
  const program = join(stacksDir, version, 'node_modules/node-red/red.js')
  const child = spawn(process.execPath, [program, '--userDir', folder, '--port', `${port}`], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const deployed = await until(
    () =>
      fetch(`http://127.0.0.1:${port}/flows`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(flows),
      }).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status !== 0,
  )
  expect(deployed).toBe(204)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
  const file = (name: string) => readFile(join(folder, name), 'utf8')
  return { flows: await file('flows.json'), credentials: await file('flows_cred.json') }
}

test.each(versionsFor(import.meta.filename))(
  'the files of a plain Node-RED %s are the first thing on a team: its modules are offered, installed, and it runs',
  async (version) => {
    const files = await filesOfPlain(version, project(await startOven()))
    expect(files.credentials).not.toContain(login.password)
    const platform = await openRealPlatform({ steadySeconds: 3 })
    onTestFinished(() => platform.close())
    const one = await platform.make(version)

    const began = performance.now()
    const given = { ...files, credsSecret }
    const { foreseen } = await platform.owner.client.call('deployment.preview', {
      params: { instanceId: one.id },
      body: { files: given },
    })
    const module = { name: 'node-red-node-random', version: '0.4.1' }
    expect(foreseen).toMatchObject([{ kind: 'type', stops: true, types: ['random'], module }])
    const deployment = await platform.ended(one, 'POST', '/import', { ...given, install: [module] })
    const { status, text } = await platform.visit(one.name, '/roll')
    const took = performance.now() - began

    expect([status, text]).toEqual([200, expect.stringMatching(/^warm [1-6]$/)])
    expect(deployment).toMatchObject({ kind: 'import', state: 'done' })
    expect(deployment).not.toHaveProperty('faults')
    expect((await platform.read(one.id)).settings.palette?.modules).toMatchObject([module])
    console.log(`Node-RED ${version}: the project answers ${(took / 1_000).toFixed(1)} s after its files were chosen`)
    expect(took).toBeLessThan(30_000)
  },
)
