import { containerUrl } from '@app/contract'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { describeDriver } from '../../conformance.ts'
import type { InstanceSpec } from '../../driver.ts'
import { containersFor, docker, ensureImage, openDocker, openGate } from '../../testing/docker.harness.ts'
import { codeFlow, shellFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { readRecord, runs, runtimeEntry, stacksDir } from '../../testing/local.harness.ts'
import { unusedMachine } from '../../testing/unused.machine.ts'
import { until } from '../../testing/until.ts'

beforeAll(ensureImage)

/** Opens a driver for which one container is to wait, and waits for it. */
async function openWarm(socket?: string) {
  const opened = await openDocker(socket, { warmProcesses: 1 }, unusedMachine)
  const { driver, spec, containers } = opened
  const warm = async () => {
    driver.expect(spec().stack)
    await until('a container waits', async () => (await driver.health()).warm?.waiting === 1)
    return containers()
  }
  return { ...opened, warm, waiting: await warm() }
}

const isRunning = (container: string) =>
  docker('inspect', '--format', '{{.State.Running}}', container).trim() === 'true'

async function begin(socket?: string) {
  const opened = await openWarm(socket)
  onTestFinished(() => opened.close())
  return opened
}

describeDriver('docker with a container that waits', () => openWarm())

describe('a container that waits', () => {
  test('becomes that of the next new instance, once, behind the walls of any other, and its files outlast it', async () => {
    const { home, driver, spec, putFlows, containerOf, waiting, warm } = await begin()
    const one = spec()
    putFlows(
      one.id,
      shellFlow(
        `id -u; cat /proc/self/status; echo "$HOME"; for at in / /etc /home ${home} "$HOME" /tmp; do touch $at/mark 2>&1 && echo wrote $at; done`,
      ),
    )
    await driver.start(one)
    await runs(driver, one.id)
    expect([await containerOf(one.id)]).toEqual(waiting)
    const { text } = await askInstance(driver.endpoint(one.id)!, '/do')
    const userDir = join(home, 'instances', one.id, 'user')
    expect(Number(text.split('\n')[0])).toBeGreaterThanOrEqual(200_000)
    expect(/^CapEff:\s+(\w+)/m.exec(text)?.[1]).toMatch(/^0+$/)
    expect(text).toMatch(/^NoNewPrivs:\s+1$/m)
    expect([...text.matchAll(/^wrote (\S+)/gm)].map(([, path]) => path)).toEqual([userDir, '/tmp'])
    expect(existsSync(join(userDir, 'mark'))).toBe(true)
    const name = () => docker('inspect', '--format', '{{.Name}}', waiting[0]!)
    await until('it has the name of its instance', () => name().includes(one.id))

    // Another one waits by now, with a user of its own, and the first goes on with its files in one that is made for it.
    const other = spec()
    await warm()
    putFlows(other.id, shellFlow('id -u'))
    await driver.start(other)
    await runs(driver, other.id)
    expect(await containerOf(other.id)).not.toBe(waiting[0])
    const { text: user } = await askInstance(driver.endpoint(other.id)!, '/do')
    expect(user.split('\n')[0]).not.toBe(text.split('\n')[0])
    putFlows(one.id, shellFlow('id -u; ls "$HOME"; echo "$HOME"'))
    await driver.stop(one.id)
    await driver.start(one)
    await runs(driver, one.id)
    const { text: later } = await askInstance(driver.endpoint(one.id)!, '/do')
    expect(later.split('\n')).toEqual(expect.arrayContaining([text.split('\n')[0], 'mark', userDir]))
  })

  test('is left alone by an instance that has files already, and by one of another stack', async () => {
    const { driver, spec, containerOf, waiting, containers } = await begin()
    const [old, large] = [spec(), { ...spec(), stack: { ...spec().stack, memory: 300 } }]
    const files = Readable.from([{ path: 'mark', mode: 0o600, content: Readable.from([Buffer.from('x')]) }])
    await driver.putFiles(old.id, files)
    for (const each of [old, large]) {
      await driver.start(each)
      await runs(driver, each.id)
      expect(await containerOf(each.id)).not.toBe(waiting[0])
    }
    const limit = docker('inspect', '--format', '{{.HostConfig.Memory}}', await containerOf(large.id))
    expect(Number(limit)).toBe(300 * 1024 * 1024)
    expect(containers()).toContain(await containerOf(old.id))
  })

  test('and was paused, or taken away, leaves its instance to a fresh one', async () => {
    const { driver, spec, containerOf, waiting, warm } = await begin()
    docker('pause', waiting[0]!)
    const one = spec()
    await driver.start(one)
    await runs(driver, one.id)
    expect(await containerOf(one.id)).not.toBe(waiting[0])
    const [next] = (await warm()).filter((id) => !waiting.includes(id))
    docker('rm', '--force', next!)
    const other = spec()
    await driver.start(other)
    await runs(driver, other.id)
    expect((await driver.status(other.id)).state).toBe('running')
  })

  test('is found again by the next platform as that of its instance, which goes on', async () => {
    const { driver, spec, open, putFlows, containerOf, containers, waiting } = await begin()
    const one = spec()
    putFlows(one.id, codeFlow('msg.payload = "well"; return msg'))
    await driver.start(one)
    await runs(driver, one.id)
    await driver.close()
    // The others ended with the platform that they waited for.
    expect(containers()).toEqual(waiting)
    const next = open({ warmProcesses: 0 })
    expect(await next.adopt()).toEqual([one.id])
    await runs(next, one.id)
    expect((await askInstance(next.endpoint(one.id)!, '/do')).text).toBe('well')
    expect([await containerOf(one.id)]).toEqual(waiting)
    await next.stop(one.id)
    expect(containers()).toEqual([])
  })

  test('ends when the engine goes away, and others wait once it is back', async () => {
    const gate = await openGate()
    onTestFinished(() => gate.close())
    const { driver, waiting, containers, spec, containerOf, warm } = await begin(gate.socket)
    await gate.shut()
    await until('it has ended', () => !isRunning(waiting[0]!))
    await gate.listen()
    const one = spec()
    await until('the engine is back', async () => (await driver.health()).engine?.reachable)
    await driver.start(one)
    await runs(driver, one.id)
    expect(await containerOf(one.id)).not.toBe(waiting[0])
    await warm()
    expect(containers()).not.toHaveLength(0)
  })
})

describe('a platform that is killed', () => {
  test.each(['waiting', 'instance', 'record.json'])('at "%s" leaves nothing that nobody knows', async (moment) => {
    const opened = await openDocker()
    onTestFinished(() => opened.close())
    const { home, driver, spec, containers, platform } = opened
    const one = spec()
    const killAt = moment === 'instance' ? `/instances/${one.id}` : moment
    const claims = '/var/lib/flowforge/accounts'
    const users = () =>
      readdirSync(claims).filter((name) => readFileSync(join(claims, name), 'utf8').startsWith(`${home}/`))
    await killed(killAt, { home, spec: one })
    const left = containers()
    expect(left).not.toEqual([])
    await until('nothing of it runs', () => left.every((id) => !isRunning(id)))
    expect(await driver.adopt()).toEqual([])
    // A container with a record tells why it has ended.
    const noted = moment === 'record.json' ? [(await readRecord(home, one.id)).container] : []
    expect(containers()).toEqual(noted)
    expect(readdirSync(join(home, 'warm')).filter((name) => name !== 'demand.json')).toEqual([])
    expect(readdirSync(join(home, 'instances'))).toEqual(moment === 'waiting' ? [] : [one.id])
    expect(users()).toHaveLength(moment === 'waiting' ? 0 : 1)
    // Its instance starts as if nothing had been.
    platform.stored.set(`${one.id}/flows`, codeFlow('msg.payload = "well"; return msg'))
    await driver.start(one)
    await runs(driver, one.id)
    expect((await askInstance(driver.endpoint(one.id)!, '/do')).text).toBe('well')
    expect(left).not.toContain((await readRecord(home, one.id)).container)
    expect(containers()).toHaveLength(1)
  })
})

/** Runs a platform over this home that is killed at a moment of the first start of an instance. */
async function killed(killAt: string, { home, spec }: { home: string; spec: InstanceSpec }): Promise<void> {
  const accounts = { first: 200_000, last: 265_535 }
  const containers = containersFor(containerUrl(spec.platformUrl))
  const config = { home, runtimeEntry, stacksDir, accounts, drivers: ['docker', 'local'], containers, warmProcesses: 1 }
  const script = join(import.meta.dirname, '../../testing/killed.platform.ts')
  const child = spawn(process.execPath, [script, JSON.stringify({ config, spec })], {
    env: { ...process.env, KILL_AT: killAt },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
}
