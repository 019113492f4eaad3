import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../tools/test/free-port.ts'
import { type AgentWorld, openAgentWorld } from './agent.world.ts'
import { until } from './build.ts'
import { labelled } from './real.platform.ts'

let world: AgentWorld
beforeAll(async () => {
  world = await openAgentWorld()
})
afterAll(() => world.close())

const address = () => world.server.config.baseUrl

/** A machine without an agent. */
async function openMachine(env: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'forge-install-'))
  const prefix = join(folder, 'opt')
  const dir = join(folder, 'state')
  const port = await freePort()
  mkdirSync(dir)
  writeFileSync(join(dir, 'device.yml'), `port: ${port}\ninterval: 0.2\n`)
  const nothingElse = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_offline: 'true' }
  const options = { env: { PATH: process.env.PATH, HOME: folder, ...nothingElse, ...env }, cwd: folder }
  const args = ['-s', '--', '--prefix', prefix, '--dir', dir, '--no-service']
  onTestFinished(async () => {
    for (const path of globSync('nodered/instances/*/record.json', { cwd: dir }))
      end(-(JSON.parse(readFileSync(join(dir, path), 'utf8')) as { pid: number }).pid)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  return {
    prefix,
    dir,
    port,
    programs: () => globSync('versions/*', { cwd: prefix }),
    /** Pipes the text of the installer, as the platform serves it unless told otherwise, into a shell. */
    async install(more: string[], text?: string) {
      const script = text ?? (await (await fetch(`${world.server.address}/agent/install.sh`)).text())
      const child = spawn('/bin/sh', [...args, ...more], { ...options, stdio: 'pipe' })
      const closed = once(child, 'close') as Promise<[number | null]>
      onTestFinished(() => end(child.pid!))
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (part: string) => (said += part))
      child.stdin.on('error', () => undefined).end(script)
      return { child, closed, said: () => said }
    },
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

const answer = (port: number) =>
  fetch(`http://127.0.0.1:${port}/word`).then(
    async (found) => found.text(),
    () => '',
  )

test('the installer of a platform registers a new machine, whose agent runs its flows without the internet', async () => {
  const device = await world.addDevice()
  const machine = await openMachine()
  const first = await world.target('First', labelled('first'))
  const run = await machine.install(['--otc', device.otc])
  await until(device.read, ({ activeSnapshot }) => activeSnapshot?.id === first, 90_000)
  expect(await device.read()).toMatchObject({ status: 'running', agentVersion: '0.1.0' })
  expect(await answer(machine.port)).toBe('first')
  // The code is in the arguments of no process any more: the agent took the place of the shell.
  expect(readFileSync(`/proc/${run.child.pid}/cmdline`, 'utf8')).not.toContain(device.otc)
  run.child.kill('SIGTERM')
  expect(await run.closed).toEqual([0, null])
  const programs = machine.programs()
  expect(programs).toHaveLength(1)

  // The same line again keeps the device that the machine is.
  const again = await machine.install(['--otc', device.otc])
  await until(
    async () => answer(machine.port),
    (text) => text === 'first',
    90_000,
  )
  expect(again.said()).toContain('code_used')
  expect(again.said()).not.toContain('Downloading')
  expect(machine.programs()).toEqual(programs)
  again.child.kill('SIGTERM')
  expect(await again.closed).toEqual([0, null])
})

test('a download that is not what the installer expects is not installed, and the code stays unused', async () => {
  const device = await world.addDevice()
  const machine = await openMachine()
  const script = await (await fetch(`${world.server.address}/agent/install.sh`)).text()
  const other = script.replace(/^sha256='\w+'$/m, `sha256='${'0'.repeat(64)}'`)
  expect(other).not.toBe(script)
  const run = await machine.install(['--otc', device.otc], other)
  expect(await run.closed).toEqual([1, null])
  expect(run.said()).toContain('(checksum_mismatch)')
  expect(machine.programs()).toEqual([])
  expect(existsSync(join(machine.prefix, 'current'))).toBe(false)
  expect((await device.read()).lastSeenAt).toBeNull()
})

test.each([
  ['without Node.js', undefined, 'Node.js 20.16 or newer is needed, and there is none on this machine'],
  ['with Node.js 18', 'v18.20.4', 'Node.js 20.16 or newer is needed, and this is v18.20.4'],
])('a machine %s is told so, and nothing is installed', async (_what, node, sentence) => {
  const tools = await mkdtemp(join(tmpdir(), 'forge-tools-'))
  onTestFinished(() => rm(tools, { recursive: true, force: true }))
  const uname = execFileSync('sh', ['-c', 'command -v uname'], { encoding: 'utf8' }).trim()
  writeFileSync(join(tools, 'uname'), `#!/bin/sh\nexec ${uname} "$@"\n`)
  if (node) writeFileSync(join(tools, 'node'), `#!/bin/sh\n[ "$1" = --version ] && echo ${node} && exit\nexit 1\n`)
  for (const path of globSync('*', { cwd: tools })) chmodSync(join(tools, path), 0o755)
  const machine = await openMachine({ PATH: tools })
  const script = await (await fetch(`${world.server.address}/agent/install.sh`)).text()
  const run = await machine.install([], script)
  expect(await run.closed).toEqual([1, null])
  expect(run.said()).toContain(sentence)
  expect(existsSync(machine.prefix)).toBe(false)
})

test('the package has its hash as etag, so it is fetched once', async () => {
  const first = await fetch(`${world.server.address}/agent/flowforge-agent.tgz`)
  const etag = first.headers.get('etag')!
  const script = await (await fetch(`${world.server.address}/agent/install.sh`)).text()
  expect(script).toContain(`sha256='${etag.slice(1, -1)}'`)
  expect(script).toContain(`address='${address()}'`)
  await first.arrayBuffer()
  const again = await fetch(`${world.server.address}/agent/flowforge-agent.tgz`, { headers: { 'if-none-match': etag } })
  expect([first.status, again.status]).toEqual([200, 304])
})
