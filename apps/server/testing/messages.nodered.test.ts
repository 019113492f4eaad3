import type { Instance } from '@app/contract'
import { globSync, readlinkSync } from 'node:fs'
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDriver } from '../src/drivers.ts'
import { openAgent } from './agent.ts'
import { embeddedBroker } from './broker.ts'
import { freePort, startServer, until } from './index.ts'
import { type Node, on, openRealPlatform, type RealPlatform, stacksDir } from './real.platform.ts'

/*
 * The nodes `project link in`, `out` and `call` in real instances and on a device, over the real broker.
 */
let platform: RealPlatform
beforeAll(async () => {
  platform = await openRealPlatform({ broker: embeddedBroker })
})
afterAll(() => platform.close())

const tab = { id: 'tab', type: 'tab', label: 'Line' }
/** Gives the text of a query to a node. What calls for an answer gives it itself; others cannot send a whole request. */
function asked(path: string, node: Node): Node[] {
  const calls = node.type === 'project link call'
  const first = calls
    ? 'msg.payload = msg.req.query.text; return [msg, null]'
    : 'return [{ payload: msg.req.query.text }, msg]'
  return [
    on(`in-${path}`, 'http in', { url: `/${path}`, method: 'get', wires: [[`text-${path}`]] }),
    on(`text-${path}`, 'function', { func: first, outputs: 2, wires: [[String(node.id)], [`out-${path}`]] }),
    calls ? { ...node, wires: [[`out-${path}`]] } : node,
    on(`out-${path}`, 'http response'),
  ]
}
const call = (to: string) => on('call', 'project link call', { project: to, topic: 'bread/ask', timeout: '20' })
/** Sends to an instance, calls it and tells all. */
const sending = (to: string): Node[] => [
  tab,
  ...asked(
    'send',
    on('out', 'project link out', { mode: 'link', broadcast: false, project: to, topic: 'bread/baked' }),
  ),
  ...asked('ask', call(to)),
  ...asked('tell', on('all', 'project link out', { mode: 'link', broadcast: true, project: '', topic: 'news' })),
]
const noted = (id: string, label: string, link: Node): Node[] => [
  on(id, 'project link in', { ...link, wires: [[`mark-${id}`]] }),
  on(`mark-${id}`, 'function', {
    func: `msg.payload = '${label} ' + msg.payload; return msg`,
    outputs: 1,
    wires: [['file']],
  }),
]
const file = on('file', 'file', {
  filename: 'got.txt',
  filenameType: 'str',
  appendNewline: true,
  overwriteFile: 'false',
})
const anyNews = { broadcast: true, project: 'all', topic: 'news' }
/** Writes down what it is sent and told, and answers calls. */
const receiving = (from: string): Node[] => [
  tab,
  ...noted('sent', 'sent', { broadcast: false, project: '', topic: 'bread/baked' }),
  ...noted('any', 'any', anyNews),
  ...noted('one', 'one', { broadcast: true, project: from, topic: 'news' }),
  file,
  on('asked', 'project link in', { broadcast: false, project: '', topic: 'bread/ask', wires: [['answer']] }),
  on('answer', 'function', {
    func: "msg.payload = 'yes, ' + msg.payload; return msg",
    outputs: 1,
    wires: [['return']],
  }),
  on('return', 'project link out', { mode: 'return', broadcast: false, project: '', topic: '' }),
]

const linesOf = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1)

/** Two instances on one platform, of which the first talks to the second. */
async function talkers(at: RealPlatform, version: string) {
  const [from, to] = [await at.make(version), await at.make(version)]
  const got = async () => linesOf(join(at.home, 'instances', to.id, 'user', 'got.txt'))
  const ask = (path: string, text: string) => at.visit(from.name, `/${path}?text=${text}`)
  const arrives = async (line: string) => until(got, (lines) => lines.includes(line), 60_000)
  /** Says something until it arrives: nodes take a moment to connect. */
  const connected = async (text: string) =>
    until(
      async () => {
        await ask('send', text)
        return got()
      },
      (lines) => lines.includes(`sent ${text}`),
      60_000,
    )
  /** Calls until there is an answer: a call made before its nodes have subscribed to the answers is lost. */
  const answered = async (text: string) =>
    until(
      async () => Promise.race([ask('ask', text), pause(5_000)]),
      (answer) => answer?.text === `yes, ${text}`,
      90_000,
    )
  expect(await at.importTo(to, receiving(from.id))).toMatchObject({ state: 'done' })
  expect(await at.importTo(from, sending(to.id))).toMatchObject({ state: 'done' })
  await connected('hello')
  return { from, to, got, ask, answered, arrives, connected }
}

/** The process of the embedded broker. */
const brokerPid = (home: string): number =>
  Number(
    globSync('/proc/[0-9]*/fd/1')
      .find((path) => {
        try {
          return readlinkSync(path) === join(home, 'broker/output.log')
        } catch {
          return false
        }
      })
      ?.split('/')[2],
  )

/** As a program on the same machine asks an instance, without the platform. */
const visitSocket = (socketPath: string, path: string) =>
  new Promise<void>((resolve, reject) => {
    request({ socketPath, path }, (answer) => answer.resume().once('end', resolve))
      .once('error', reject)
      .end()
  })

/** A plain Node-RED with the nodes as agents of the installed base have them. */
async function startElsewhere(flowforge: object, flows: Node[]) {
  const [folder, port] = [await mkdtemp(join(tmpdir(), 'forge-elsewhere-')), await freePort()]
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'package.json'), '{"name":"elsewhere","private":true}')
  await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '@flowforge/nr-project-nodes@0.4.0'], {
    cwd: folder,
  })
  await writeFile(
    join(folder, 'settings.js'),
    `module.exports = { flowFile: 'flows.json', credentialSecret: false, flowforge: ${JSON.stringify(flowforge)} }`,
  )
  await writeFile(join(folder, 'flows.json'), JSON.stringify(flows))
  const program = join(stacksDir, '4.1.15', 'node_modules/node-red/red.js')
  const args = [program, '--userDir', folder, '--port', `${port}`]
  const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: folder })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { url: `http://127.0.0.1:${port}`, got: async () => linesOf(join(folder, 'got.txt')) }
}

describe.each(['5.0.7', '4.1.15'])('Node-RED %s', (version) => {
  let pair: Awaited<ReturnType<typeof talkers>>
  beforeAll(async () => {
    pair = await talkers(platform, version)
  })

  test('an instance sends to another one, calls it and tells all; each message arrives once by each way', async () => {
    const { ask, answered, arrives, got } = pair
    await ask('send', 'rye')
    await arrives('sent rye')
    expect(await answered('rye')).toMatchObject({ status: 200 })
    await ask('tell', 'open')
    await arrives('any open')
    const lines = await arrives('one open')
    expect(lines.filter((line) => /rye|open/.test(line)).toSorted()).toEqual(['any open', 'one open', 'sent rye'])
    expect(await got()).toEqual(lines)
  })

  test('what is sent to an instance that is away for a moment waits for it', async () => {
    await platform.act('stop', pair.to.id)
    await platform.settled(pair.to.id)
    await pair.ask('send', 'waits')
    await platform.act('start', pair.to.id)
    expect(await pair.arrives('sent waits')).toContain('sent waits')
  })
})

describe('Node-RED 5.0.7', () => {
  let pair: Awaited<ReturnType<typeof talkers>>
  beforeAll(async () => {
    pair = await talkers(platform, '5.0.7')
  })

  test('of two replicas one handles each message, and answers reach the replica that asked', async () => {
    for (const one of [pair.from, pair.to]) {
      await platform.raw('PUT', `/${one.id}/ha`, { replicas: 2 })
      await platform.settled(one.id)
      await until(
        async () => platform.server.driver.pair!.serving(one.id).length,
        (count) => count === 2,
      )
    }
    await pair.connected('replicas')
    const names = Array.from({ length: 12 }, (_, number) => `shared-${number}`)
    for (const name of names) await pair.ask('send', name)
    await pair.arrives(`sent ${names.at(-1)}`)
    const answers = await Promise.all(names.slice(0, 6).map(async (name) => (await pair.ask('ask', name)).text))
    expect(answers).toEqual(names.slice(0, 6).map((name) => `yes, ${name}`))
    const lines = await until(pair.got, (all) => names.every((name) => all.includes(`sent ${name}`)))
    expect(lines.filter((line) => line.startsWith('sent shared-')).toSorted()).toEqual(
      names.map((name) => `sent ${name}`).toSorted(),
    )
  })

  test('when the broker is killed, it is started again and messages go on', async () => {
    const pid = brokerPid(platform.home)
    process.kill(pid, 'SIGKILL')
    await pair.connected('again')
    expect(brokerPid(platform.home)).not.toBe(pid)
    expect(await pair.answered('again')).toMatchObject({ status: 200 })
  })

  test('a device of ours calls an instance and hears what another one tells', async () => {
    const { client } = platform.owner
    const body = { name: 'Oven', type: 'Pi', team: platform.team.id }
    const { id, credentials } = await client.call('device.create', { body })
    const { token, credentialSecret, broker } = credentials
    const brokerFile = { brokerURL: broker!.url, brokerUsername: broker!.username, brokerPassword: broker!.password }
    const agent = await openAgent({
      file: { deviceId: id, token, credentialSecret, forgeURL: platform.server.address, ...brokerFile },
    })
    onTestFinished(() => agent.close())
    const inFrom = { params: { instanceId: pair.from.id } }
    await client.call('device.update', { params: { deviceId: id }, body: { instance: pair.from.id } })
    const flows = [tab, ...asked('ask', call(pair.to.id)), ...noted('any', 'any', anyNews), file]
    const snapshot = { name: 'First', flows, credentials: {}, credentialSecret: '' }
    const made = await client.call('snapshot.create', { ...inFrom, body: snapshot })
    await client.call('device.setTarget', { ...inFrom, body: { targetSnapshot: made.id } })
    agent.start()
    await until(
      () => agent.visit('/ask?text=oven'),
      ({ text }) => text === 'yes, oven',
      90_000,
    )
    const heard = async () => linesOf(join(agent.dir, 'files/got.txt'))
    await pair.ask('tell', 'closed')
    expect(await until(heard, (lines) => lines.length > 0)).toEqual(['any closed'])
  })

  test('the package of 2023 in a Node-RED elsewhere calls an instance here and hears what another one tells', async () => {
    const { client } = platform.owner
    const body = { name: 'Old oven', type: 'Pi', team: platform.team.id }
    const { id, credentials } = await client.call('device.create', { body })
    await client.call('device.update', { params: { deviceId: id }, body: { instance: pair.from.id } })
    const { token, broker } = credentials
    const flowforge = {
      forgeURL: platform.server.address,
      teamID: platform.team.id,
      projectID: pair.from.id,
      projectLink: { token, broker },
    }
    const news = [...noted('any', 'any', anyNews), file]
    const old = await startElsewhere(flowforge, [tab, ...asked('ask', call(pair.to.id)), ...news])
    await until(
      // A call that is made before its nodes have subscribed to the answers is lost, and nothing answers then.
      () =>
        fetch(`${old.url}/ask?text=old`, { signal: AbortSignal.timeout(5_000) }).then(
          (answer) => answer.text(),
          () => '',
        ),
      (text) => text === 'yes, old',
      90_000,
    )
    await pair.ask('tell', 'late')
    expect(await until(old.got, (lines) => lines.length > 0)).toEqual(['any late'])
  })

  test('an instance of another team neither hears nor reaches anybody here', async () => {
    const { server, owner } = platform
    const team = await server.build.team(owner)
    const application = await server.build.application(owner, team)
    const choice = await platform.choiceOf('5.0.7')
    const created = { body: { name: 'strangers', applicationId: application.id, ...choice } }
    const stranger: Instance = await owner.client.call('instance.create', created)
    await platform.inState(stranger.id, 'running')
    // It listens to all, and sends to the instance here by its id.
    await platform.importTo(stranger, [...sending(pair.to.id), ...noted('any', 'any', anyNews), file])
    const heard = async () => linesOf(join(platform.home, 'instances', stranger.id, 'user', 'got.txt'))
    await until(
      async () => {
        await platform.visit(stranger.name, '/tell?text=ours')
        return heard()
      },
      (lines) => lines.includes('any ours'),
    )
    await platform.visit(stranger.name, '/send?text=theirs')
    await pair.ask('tell', 'secret')
    await pair.arrives('any secret')
    await pair.connected('after')
    expect((await pair.got()).filter((line) => /theirs|ours/.test(line))).toEqual([])
    expect((await heard()).filter((line) => line.includes('secret'))).toEqual([])
  })
})

test('messages go on while the platform is away, and after it is back', async () => {
  const own = await openRealPlatform({ broker: embeddedBroker })
  onTestFinished(() => own.sweep())
  const { from, connected, arrives } = await talkers(own, '5.0.7')
  await connected('before')
  const at = own.server.driver.endpoint(from.id) as { socketPath: string }
  await own.server.stop()
  await visitSocket(at.socketPath, '/send?text=dark')
  await arrives('sent dark')
  const again = await startServer({ config: own.server.config, driver: openDriver })
  onTestFinished(() => again.close())
  await visitSocket(at.socketPath, '/send?text=light')
  expect(await arrives('sent light')).toContain('sent light')
})
