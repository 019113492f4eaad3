import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { openAgent } from './agent.ts'
import { freePort, until } from './index.ts'
import { stacksDir } from './homes.ts'
import { type Node, on, type RealPlatform } from './real.platform.ts'

/*
 * Flows with the nodes `project link in`, `out` and `call`, and the instances and devices that run them.
 */

export const tab = { id: 'tab', type: 'tab', label: 'Line' }
/** Gives the text of a query to a node. What calls for an answer gives it itself; others cannot send a whole request. */
export function asked(path: string, node: Node): Node[] {
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
export const call = (to: string) => on('call', 'project link call', { project: to, topic: 'bread/ask', timeout: '20' })
/** Sends to an instance, calls it and tells all. */
export const sending = (to: string): Node[] => [
  tab,
  ...asked(
    'send',
    on('out', 'project link out', { mode: 'link', broadcast: false, project: to, topic: 'bread/baked' }),
  ),
  ...asked('ask', call(to)),
  ...asked('tell', on('all', 'project link out', { mode: 'link', broadcast: true, project: '', topic: 'news' })),
]
export const noted = (id: string, label: string, link: Node): Node[] => [
  on(id, 'project link in', { ...link, wires: [[`mark-${id}`]] }),
  on(`mark-${id}`, 'function', {
    func: `msg.payload = '${label} ' + msg.payload; return msg`,
    outputs: 1,
    wires: [['file']],
  }),
]
export const file = on('file', 'file', {
  filename: 'got.txt',
  filenameType: 'str',
  appendNewline: true,
  overwriteFile: 'false',
})
/** Sent to the instance itself. */
export const toOwn = { broadcast: false, project: '', topic: 'bread/baked' }
export const anyNews = { broadcast: true, project: 'all', topic: 'news' }
/** Writes down what it is sent and told, and answers calls. */
export const receiving = (from: string): Node[] => [
  tab,
  ...noted('sent', 'sent', toOwn),
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

export const linesOf = async (path: string) => (await readFile(path, 'utf8').catch(() => '')).split('\n').slice(0, -1)

/** Two instances on one platform, of which the first talks to the second. */
export async function talkers(at: RealPlatform, version: string) {
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

type Talkers = Awaited<ReturnType<typeof talkers>>

/** Runs both instances in two replicas each, and waits until they talk again. */
export async function replicate(at: RealPlatform, pair: Talkers): Promise<void> {
  for (const one of [pair.from, pair.to]) {
    await at.raw('PUT', `/${one.id}/ha`, { replicas: 2 })
    await at.settled(one.id)
    await until(
      async () => at.server.driver.pair!.serving(one.id).length,
      (count) => count === 2,
    )
  }
  await pair.connected('replicas')
}

/** As a program on the same machine asks an instance, without the platform. */
export const visitSocket = (socketPath: string, path: string) =>
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
  return {
    /** The text that a path of it answers for a text; empty without an answer. */
    visit: async (path: string, text: string) =>
      fetch(`http://127.0.0.1:${port}/${path}?text=${text}`, { signal: AbortSignal.timeout(5_000) }).then(
        (answer) => answer.text(),
        () => '',
      ),
    got: async () => linesOf(join(folder, 'got.txt')),
  }
}

/** The same as a device of an instance, with the package of 2023. */
export async function startOldDevice(at: RealPlatform, instance: { id: string }, flows: Node[]) {
  const { client } = at.owner
  const body = { name: 'Old oven', type: 'Pi', team: at.team.id }
  const { id, credentials } = await client.call('device.create', { body })
  await client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  const { token, broker } = credentials
  const { address: forgeURL } = at.server
  const projectLink = { token, broker }
  return startElsewhere({ forgeURL, teamID: at.team.id, projectID: instance.id, projectLink }, flows)
}

/** A device of ours with its agent, assigned to an instance and with these flows as its target. Its agent is started. */
export async function startDevice(at: RealPlatform, instance: { id: string }, flows: Node[]) {
  const { client } = at.owner
  const body = { name: 'Oven', type: 'Pi', team: at.team.id }
  const { id, credentials } = await client.call('device.create', { body })
  const { token, credentialSecret, broker } = credentials
  const brokerFile = { brokerURL: broker!.url, brokerUsername: broker!.username, brokerPassword: broker!.password }
  const agent = await openAgent({
    file: { deviceId: id, token, credentialSecret, forgeURL: at.server.address, ...brokerFile },
  })
  onTestFinished(() => agent.close())
  const params = { instanceId: instance.id }
  await client.call('device.update', { params: { deviceId: id }, body: { instance: instance.id } })
  const snapshot = { name: 'First', flows, credentials: {}, credentialSecret: '' }
  const made = await client.call('snapshot.create', { params, body: snapshot })
  await client.call('device.setTarget', { params, body: { targetSnapshot: made.id } })
  agent.start()
  return { id, agent, got: async () => linesOf(join(agent.dir, 'files/got.txt')) }
}
