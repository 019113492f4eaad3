import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describeDriver } from '../../conformance.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, pidOf, runs, runtimeEntry, stacksDir, versions } from '../../testing/local.harness.ts'
import { unusedMachine } from '../../testing/unused.machine.ts'
import { until } from '../../testing/until.ts'
import type { LocalDriverConfig } from '../index.ts'
import { argumentsOf, identityOf } from '../process/identity.ts'

describeDriver('local with warm processes', async () => {
  const local = await openLocal({ warmProcesses: 1 }, unusedMachine)
  await warm(local, versions[1])
  return { ...local, spec: () => local.spec(versions[1]), reopen: local.open }
})

type Local = Awaited<ReturnType<typeof openLocal>>

/** Waits until a process for this stack waits for its specification. Returns its pid. */
async function warm({ home, driver, spec }: Pick<Local, 'home' | 'driver' | 'spec'>, version: string, memory = 256) {
  driver.expect({ ...spec(version).stack, memory })
  return until('a process waits', () => waiting(home)[0], 30_000)
}

/** Processes whose output is in the folder of the pool and that have loaded what they should. */
function waiting(home: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && linkOf(`/proc/${pid}/fd/1`).startsWith(join(home, 'warm')) && isBlocked(pid))
}

/** Reading from the pipe of its specification, in the only thread that runs code. */
const isBlocked = (pid: number) => readOr(`/proc/${pid}/syscall`).startsWith('0 0x3 ')

const linkOf = (path: string) => attempt(() => readlinkSync(path))
const readOr = (path: string) => attempt(() => readFileSync(path, 'utf8'))

function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}

async function begin(more: Partial<LocalDriverConfig> = {}, machine = unusedMachine) {
  const local = await openLocal({ warmProcesses: 1, ...more }, machine)
  onTestFinished(() => local.close())
  return local
}

const flowOf = (code: string) => [
  { id: 'tab', type: 'tab', label: 'Flow' },
  { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
  { id: 'fn', z: 'tab', type: 'function', func: code, outputs: 1, wires: [['out']] },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

describe('a process that waits', () => {
  test('and was frozen meanwhile is left for a fresh one', async () => {
    const local = await begin()
    const { home, driver, spec } = local
    const frozen = await warm(local, versions[1])
    process.kill(frozen, 'SIGSTOP')
    const one = spec()
    await driver.start(one)
    await runs(driver, one.id)
    expect(await pidOf(home, one.id)).not.toBe(frozen)
    expect(identityOf(frozen)).toBeUndefined()
  })

  test.each(versions)('becomes that of the next instance, Node-RED %s, with what is its own', async (version) => {
    const local = await begin()
    const { home, driver, spec, platform } = local
    const pid = await warm(local, version)
    const one = spec(version)
    const loaded = cpuMs(pid)
    platform.behaviour.env = { GREETING: 'good morning' }
    platform.stored.set(`${one.id}/flows`, flowOf('msg.payload = ["GREETING", "HOME"].map(env.get); return msg'))
    await driver.start(one)
    expect(await pidOf(home, one.id)).toBe(pid)
    await runs(driver, one.id)
    // The cold start takes more than twice of this, whatever else the machine does.
    expect(cpuMs(pid) - loaded).toBeLessThan(500)
    const folder = join(home, 'instances', one.id)
    expect(JSON.parse((await askInstance(driver.endpoint(one.id)!, '/do')).text)).toEqual([
      'good morning',
      join(folder, 'user'),
    ])
    expect(linkOf(`/proc/${pid}/cwd`)).toBe(join(folder, 'user'))
    expect(linkOf(`/proc/${pid}/fd/1`)).toBe(join(folder, 'output.log'))
    const isRoot = /^Uid:\s+0\s/m.test(readOr(`/proc/${pid}/status`))
    expect(isRoot).toBe(process.getuid?.() === 0 && !driver.capabilities.isolatesInstances)
    const shown = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8')
    for (const secret of [one.token, one.client.secret, one.credentialSecret]) expect(shown).not.toContain(secret)
  })

  test('is followed by another one, and a second instance gets that', async () => {
    const local = await begin()
    const { home, driver, run } = local
    const first = await warm(local, versions[1])
    const one = await run()
    const second = await until('the next waits', () => waiting(home).find((pid) => pid !== first))
    const two = await run()
    expect([await pidOf(home, one.id), await pidOf(home, two.id)]).toEqual([first, second])
    await driver.stop(one.id)
    expect(identityOf(second)).toBeDefined()
  })

  test('leaves modules to be loaded anew that look for a variable of the instance', async () => {
    const local = await begin()
    const { home, driver, spec, platform } = local
    const pid = await warm(local, versions[1])
    platform.behaviour.env = { DEBUG: 'express:application' }
    const one = spec()
    await driver.start(one)
    await runs(driver, one.id)
    expect(await pidOf(home, one.id)).toBe(pid)
    expect((await driver.logs(one.id, { limit: 1_000 })).map(({ msg }) => msg).join('\n')).toContain(
      'express:application',
    )
  })

  test('holds the limit of its stack on memory, and says so when it ends by it', async () => {
    const local = await begin()
    const { home, driver, spec, platform } = local
    const pid = await warm(local, versions[1], 128)
    const small = { ...spec(), stack: { nodered: versions[1], memory: 128 } }
    const code = 'const all = []; for (;;) all.push(new Array(100_000).fill({}).map(() => ({})))'
    platform.stored.set(`${small.id}/flows`, flowOf(code))
    await driver.start(small)
    await runs(driver, small.id)
    expect(await pidOf(home, small.id)).toBe(pid)
    await until('it crashes', async () => {
      await askInstance(driver.endpoint(small.id)!, '/do').catch(() => {})
      return (await driver.status(small.id)).state === 'crashed'
    })
    expect((await driver.status(small.id)).reason).toMatch(/memory.*128 MB/)
  })

  test('is not taken for another stack', async () => {
    const local = await begin()
    const { home, driver, run, spec } = local
    const pid = await warm(local, versions[1])
    const other = await run(versions[0])
    const more = { ...spec(), stack: { nodered: versions[1], memory: 512 } }
    await driver.start(more)
    expect([await pidOf(home, other.id), await pidOf(home, more.id)]).not.toContain(pid)
  })

  test('is no more when Node-RED or the runtime have changed, and the next one is trained anew', async () => {
    const folder = await scratch()
    const own = join(folder, 'stacks')
    mkdirSync(own)
    execFileSync('cp', ['-al', '--parents', versions[1], own], { cwd: stacksDir })
    for (const name of ['main.js', 'trial.main.js'])
      writeFileSync(join(folder, name), `await import(${JSON.stringify(join(dirname(runtimeEntry), name))})`)
    const local = await begin({ stacksDir: own, runtimeEntry: join(folder, 'main.js') })
    const pid = await warm(local, versions[1])
    const trained = readOr(join(own, versions[1], 'training.json'))
    utimesSync(join(folder, 'main.js'), 1, 1)
    const { id } = await local.run()
    expect(await pidOf(local.home, id)).not.toBe(pid)
    await until('the old one is gone', () => !identityOf(pid))
    await until('another waits', () => waiting(local.home)[0], 30_000)
    expect(readOr(join(own, versions[1], 'training.json'))).not.toBe(trained)
  })

  test('gives its memory back when that runs short, and waits for a moment in which the machine is idle', async () => {
    const state = { room: true, idle: false }
    const local = await begin(
      {},
      { hasRoom: () => state.room, isIdle: async () => state.idle, settleMs: unusedMachine.settleMs },
    )
    const { home, driver, spec, run } = local
    driver.expect(spec().stack)
    const cold = await run()
    expect(waiting(home)).toEqual([])
    state.idle = true
    const pid = await until('a process waits', () => waiting(home)[0])
    state.room = false
    driver.expect(spec().stack)
    await until('it is gone', () => !identityOf(pid))
    expect(await driver.status(cold.id)).toMatchObject({ state: 'running' })
  })

  test('ends with the platform, however that ends, and the instances go on', async () => {
    const folder = await scratch()
    const local = await begin({ warmProcesses: 0 })
    const { id } = await local.run()
    const code = `
      import { createLocalDriver } from ${JSON.stringify(join(import.meta.dirname, '../index.ts'))}
      const [home, runtimeEntry, stacksDir] = process.argv.slice(2)
      const unused = { hasRoom: () => true, isIdle: async () => true, settleMs: 0 }
      createLocalDriver({ home, runtimeEntry, stacksDir, warmProcesses: 1 }, unused).expect({ nodered: '5.0.7', memory: 256 })
      setInterval(() => {}, 1e6)`
    writeFileSync(join(folder, 'platform.mts'), code)
    const platform = spawn(process.execPath, [join(folder, 'platform.mts'), folder, runtimeEntry, stacksDir])
    onTestFinished(() => void platform.kill('SIGKILL'))
    const pid = await until('a process waits', () => waiting(folder)[0], 30_000)
    platform.kill('SIGKILL')
    await until('it is gone', () => !identityOf(pid))
    expect(argumentsOf(await pidOf(local.home, id))).toContain(id)
  })
})

/** An empty folder on the same disk as the stacks. */
async function scratch(): Promise<string> {
  const { mkdtemp, rm } = await import('node:fs/promises')
  const folder = await mkdtemp(join(import.meta.dirname, '../../../../../.cache/pool-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** CPU time of a process and its threads. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
