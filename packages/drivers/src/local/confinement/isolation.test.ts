import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import type { Driver } from '../../driver.ts'
import { codeFlow, nodeFlow, shellFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, readRecord, runs, versions } from '../../testing/local.harness.ts'
import { until } from '../../testing/until.ts'
import { isolationObstacle } from './isolation.ts'

async function begin() {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { home, driver, platform, spec } = local
  return {
    ...local,
    async runFlows(flows: object[], nodered?: string) {
      const one = spec(nodered)
      platform.stored.set(`${one.id}/flows`, flows)
      await driver.start(one)
      await runs(driver, one.id)
      const { pid } = await readRecord(home, one.id)
      const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
      return { ...one, uid, pid, endpoint: driver.endpoint(one.id)! }
    },
  }
}

/** Says aloud what this machine does not allow. */
async function isolates({ capabilities }: Driver, context: TestContext): Promise<boolean> {
  if (!capabilities.isolatesInstances) await context.annotate(capabilities.gaps.join(' '))
  return capabilities.isolatesInstances
}

test.for(versions)(
  'flows of Node-RED %s reach nothing of the platform and of other instances',
  async (version, context) => {
    const { home, driver, runFlows } = await begin()
    if (!(await isolates(driver, context))) return
    writeFileSync(join(home, 'forge.db'), 'rows')
    mkdirSync(join(home, 'keys'), { recursive: true })
    writeFileSync(join(home, 'keys', 'master.key'), 'key')
    const other = await runFlows(codeFlow('return msg'))
    const at = (...path: string[]) => join(home, 'instances', other.id, ...path)
    const read = [
      join(home, 'forge.db'),
      join(home, 'keys', 'master.key'),
      at('record.json'),
      at('account.json'),
      at('output.log'),
      at('user', 'package.json'),
      ...readdirSync(at('logs')).map((name) => at('logs', name)),
      `/proc/${other.pid}/environ`,
      `/proc/${other.pid}/fd/1`,
      `/proc/${process.pid}/environ`,
    ]
    const listed = [home, join(home, 'instances'), join(home, 'keys'), at(), at('user'), at('run'), at('logs')]
    const connected = [at('run', 'control.sock'), at('run', 'http.sock')]
    const code = `
    const outcome = (work) => { try { work(); return 'done' } catch (error) { return error.code } }
    const connect = (path) => new Promise((resolve) =>
      net.connect(path).on('connect', () => resolve('done')).on('error', (error) => resolve(error.code)))
    const read = ${JSON.stringify(read)}.map((path) => outcome(() => fs.readFileSync(path)))
    const listed = ${JSON.stringify(listed)}.map((path) => outcome(() => fs.readdirSync(path)))
    const written = ${JSON.stringify([...read, ...listed.map((path) => join(path, 'new'))])}.map((path) => outcome(() => fs.appendFileSync(path, 'x')))
    const connected = Promise.all(${JSON.stringify(connected)}.map(connect))
    const signalled = outcome(() => process.kill(${other.pid}, 0))
    const become = outcome(() => process.setuid(${other.uid}))
    return connected.then((connected) => {
      msg.payload = { read, listed, written, connected, signalled, become, stack: outcome(() => fs.readdirSync(process.cwd())) }
      return msg
    })`
    const { endpoint, uid } = await runFlows(nodeFlow(code), version)
    const answer = JSON.parse((await askInstance(endpoint, '/do')).text)
    const only = (codes: string[]) => [...new Set(codes)]
    expect(only(answer.read)).toEqual(['EACCES'])
    expect(only(answer.listed)).toEqual(['EACCES'])
    expect(only(answer.written)).toEqual(['EACCES'])
    expect(only(answer.connected)).toEqual(['EACCES'])
    expect([answer.signalled, answer.become, answer.stack]).toEqual(['EPERM', 'EPERM', 'done'])
    expect(uid).not.toBe(other.uid)
  },
)

test('an instance keeps its user over restarts; a removed one gives it back, and it is nobody elses in between', async (context) => {
  const { home, driver, runFlows, spec } = await begin()
  if (!(await isolates(driver, context))) return
  const one = await runFlows(codeFlow('return msg'))
  const { uid } = one
  expect(uid).toBeGreaterThanOrEqual(200_000)
  const user = join(home, 'instances', one.id, 'user')
  expect([statSync(user).uid, statSync(user).mode & 0o777]).toEqual([uid, 0o700])
  await driver.stop(one.id)
  const other = await runFlows(codeFlow('return msg'))
  expect(other.uid).not.toBe(uid)
  await driver.start(one)
  await runs(driver, one.id)
  expect(statSync(join(user, 'package.json')).uid).toBe(uid)
  const claim = join('/var/lib/flowforge/accounts', String(uid))
  expect(readFileSync(claim, 'utf8')).toBe(join(home, 'instances', one.id))
  await driver.remove(one.id)
  expect(() => readFileSync(claim)).toThrow('ENOENT')
  expect(spec().id).not.toBe(one.id)
})

test('programs of flows are the users of their instance, and what they leave in its log folder leads the platform nowhere', async (context) => {
  const { home, driver, runFlows } = await begin()
  if (!(await isolates(driver, context))) return
  const secret = join(home, 'secret.log')
  writeFileSync(secret, '{"ts":"10000000000000000","level":"info","msg":"a secret"}\n', { mode: 0o600 })
  const { id, uid, endpoint } = await runFlows(
    shellFlow(
      `id -u; cd ../logs; ln -s ${secret} 10000000000000000.ndjson; ln ${secret} 10000000000000001.ndjson; mkfifo 10000000000000002.ndjson`,
    ),
  )
  expect((await askInstance(endpoint, '/do')).text.trim()).toBe(String(uid))
  const entries = await driver.logs(id, { limit: 1000, cursor: '0' })
  expect(entries.length).toBeGreaterThan(5)
  expect(entries.map(({ msg }) => msg)).not.toContain('a secret')
})

test('an instance that puts a link in the place of its socket leads the platform nowhere', async () => {
  const { home, driver, open, runFlows } = await begin()
  const other = await runFlows(codeFlow('msg.payload = "private"; return msg'))
  const { id, endpoint } = await runFlows(
    shellFlow(`cd ../run; rm *.sock; ln -s ${home}/instances/${other.id}/run/http.sock http.sock; echo done`),
  )
  expect((await askInstance(endpoint, '/do')).text.trim()).toBe('done')
  // A client that already holds the socket goes on; another platform finds no socket.
  expect((await askInstance(driver.endpoint(id)!, '/')).status).toBe(200)
  const next = open()
  await next.adopt()
  expect((await askInstance(next.endpoint(other.id)!, '/do')).text).toBe('private')
  expect(next.endpoint(id)).toBeUndefined()
})

test('the reason is said if instances cannot be kept apart', () => {
  const config = {
    home: '/srv/forge',
    stacksDir: '/srv/forge/stacks',
    runtimeEntry: join(import.meta.dirname, 'isolation.ts'),
    accounts: { first: 200_000, last: 200_999 },
  } as Parameters<typeof isolationObstacle>[0]
  expect(isolationObstacle(config, 1000)).toContain('not root')
  const { accounts: _, ...none } = config
  expect(isolationObstacle(none as typeof config, 0)).toContain('No users are set aside')
  expect(isolationObstacle({ ...config, home: '/root/forge/var' }, 0)).toContain('cannot enter /root,')
  expect(isolationObstacle({ ...config, accounts: { first: 200_000, last: 2 ** 33 } }, 0)).toContain('do not exist')
})

test('flows and their programs gain no rights by programs of the machine', async () => {
  const { pid, endpoint } = await (await begin()).runFlows(shellFlow('grep NoNewPrivs /proc/self/status'))
  expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^NoNewPrivs:\s+1$/m)
  expect((await askInstance(endpoint, '/do')).text).toMatch(/^NoNewPrivs:\s+1\s*$/)
})

test('an instance whose flows have put a link among its logs and closed its folders starts again, also in safe mode', async () => {
  const { driver, runFlows } = await begin()
  const one = await runFlows(
    shellFlow('cd ../logs; ln -s /etc/shadow 99999999999999990.ndjson; echo done; chmod 0 . ../user ../run'),
  )
  expect((await askInstance(one.endpoint, '/do')).text).toContain('done')
  await driver.stop(one.id)
  await driver.start(one)
  await runs(driver, one.id)
  await driver.stop(one.id)
  await driver.start({ ...one, safe: true })
  await until('it is in safe mode', async () => (await driver.status(one.id)).state === 'safe')
})
