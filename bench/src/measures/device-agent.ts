import { openAgent, until, watchLog } from '@app/server/testing'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pingFlow } from '../data.ts'
import { median, percentile, spread } from '../figures.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { pssMbOf } from '../processes.ts'
import type { Row } from '../report.ts'
import type { Server } from '../server.ts'

const about = 'one device with the agent of FlowForge on the machine of the server, connected over WebSocket; SQLite'
type Agent = Awaited<ReturnType<typeof openAgent>>

/** A device whose agent and Node-RED run, and the steps that people do with it. */
interface Scene {
  server: Server
  cookie: string
  deviceId: string
  agent: Agent
  /** Makes flows that answer GET /ping with this the target. Returns the id of the snapshot. */
  target(text: string): Promise<string>
  /** Resolves once GET /ping is answered with this text. */
  pings(text: string): Promise<void>
}

/** One device with the agent of the platform: what it takes, and how soon it does what people ask. */
export const deviceAgent: Measure = async (context) =>
  withServer(context, async (server, cookie) => {
    const scene = await begin(context, server, cookie)
    try {
      return [
        await memory(scene, context),
        await starts(scene, context),
        ...(await deployments(scene, context)),
        await lines(scene, context),
        await tunnel(scene, context),
      ]
    } finally {
      await scene.agent.close()
    }
  })

async function begin({ data }: Context, server: Server, cookie: string): Promise<Scene> {
  const client = server.client(cookie)
  const params = { instanceId: data.instances[0]!.id }
  const { team } = await client.call('instance.get', { params })
  const { id, credentials } = await client.call('device.create', {
    body: { name: 'oven', type: 'oven', team: team.id },
  })
  await client.call('device.update', { params: { deviceId: id }, body: { instance: params.instanceId } })
  const { token, credentialSecret, broker } = credentials
  const agent = await openAgent({
    // As its command and its service start it.
    nodeArgs: ['--max-semi-space-size=1'],
    env: { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' },
    file: {
      deviceId: id,
      token,
      credentialSecret,
      forgeURL: server.address,
      brokerURL: broker!.url,
      brokerUsername: broker!.username,
      brokerPassword: broker!.password,
      interval: 60,
    },
  })
  const target = async (text: string) => {
    const flows = pingFlow.map((node) => (node.id === 'a3' ? { ...node, template: text } : node))
    const body = { name: text, flows, credentials: {}, credentialSecret: '' }
    const { id: targetSnapshot } = await client.call('snapshot.create', { params, body })
    await client.call('device.setTarget', { params, body: { targetSnapshot } })
    return targetSnapshot
  }
  const pings = async (text: string) =>
    void (await until(
      async () => agent.visit('/ping'),
      (answer) => answer.text === text,
      120_000,
    ))
  await target('pong')
  agent.start()
  await pings('pong')
  await agent.said(/Running pong/)
  await agent.said(/Connected to the broker/)
  return { server, cookie, deviceId: id, agent, target, pings }
}

async function memory({ agent }: Scene, { quick }: Context): Promise<Row> {
  await sleep(quick ? 1_000 : 60_000)
  const [nodeRed] = await agent.nodeReds()
  const [own, flows] = [pssMbOf(agent.pid()), pssMbOf(nodeRed!)]
  return {
    name: 'a device: memory of agent and Node-RED',
    value: own + flows,
    unit: 'MB',
    target: { is: 'at most', value: 75 },
    measured: 'share of both processes in RAM (PSS), a minute after the flows started',
    data: about,
    note: `agent ${Math.round(own)}, Node-RED ${Math.round(flows)}`,
  }
}

/** From the start of the agent, as after a power cut. */
async function starts({ agent, pings }: Scene, { quick }: Context): Promise<Row> {
  const all: number[] = []
  for (let one = 0; one < (quick ? 2 : 10); one += 1) {
    await agent.cutPower()
    const began = performance.now()
    agent.start()
    await pings('pong')
    all.push((performance.now() - began) / 1_000)
  }
  return {
    name: 'a device: start to the first flow',
    value: median(all),
    unit: 's',
    target: { is: 'at most', value: 1.5 },
    measured: `from the start of the agent, with nothing running, until GET /ping is answered; median of ${all.length}`,
    data: about,
    note: spread(all),
  }
}

/** Requests wait while a target takes over, so the longest wait is the interruption. */
async function deployments(scene: Scene, { quick }: Context): Promise<Row[]> {
  const { server, cookie, deviceId, agent, target, pings } = scene
  const client = server.client(cookie)
  await agent.said(/Connected to the broker/)
  let serial = 0
  const rows: Row[] = []
  for (const takeover of ['beside', 'held', 'stop-first'] as const) {
    await client.call('device.update', { params: { deviceId }, body: { takeover } })
    const waits: number[] = []
    let lost = 0
    for (let one = 0; one < (quick ? 1 : 5); one += 1) {
      let isOver = false
      const asking = (async () => {
        const open: Promise<void>[] = []
        while (!isOver) {
          const began = performance.now()
          open.push(
            agent.visit('/ping').then(({ status }) => {
              if (status === 200) waits.push(performance.now() - began)
              else lost += 1
            }),
          )
          await sleep(5)
        }
        await Promise.all(open)
      })()
      const text = `pong-${(serial += 1)}`
      const snapshot = await target(text)
      await pings(text)
      await until(
        () => client.call('device.get', { params: { deviceId } }),
        ({ activeSnapshot }) => activeSnapshot?.id === snapshot,
      )
      isOver = true
      await asking
    }
    const asked = `GET /ping each 5 ms during ${quick ? 1 : 5} deployments on the device, takeover ${takeover}`
    rows.push({
      name: `a device: interruption of flows, ${takeover}`,
      value: Math.max(...waits),
      unit: 'ms',
      target: { is: 'below', value: 1_000 },
      measured: `the longest that an answer took; ${asked}`,
      data: about,
      note: `${lost} of ${waits.length + lost} lost`,
    })
    if (takeover === 'beside')
      rows.push({
        name: 'a device: requests lost, beside',
        value: lost,
        unit: 'requests',
        target: { is: 'at most', value: 0 },
        measured: asked,
        data: about,
      })
  }
  return rows
}

async function lines({ server, cookie, deviceId, agent }: Scene, { quick }: Context): Promise<Row> {
  const watcher = await watchLog(server.address, deviceId, { cookie })
  let read = 0
  const has = (text: string) => {
    const found = watcher.frames.slice(read).flat()
    read = watcher.frames.length
    return found.some(({ msg }) => msg.endsWith(text))
  }
  const all: number[] = []
  for (let one = 0; one < (quick ? 5 : 200); one += 1) {
    const began = performance.now()
    await agent.visit(`/line?n=${one}`)
    for (const end = began + 10_000; !has(`line ${one}`); await sleep(1))
      if (performance.now() > end) throw new Error(`Line ${one} of the log did not arrive`)
    all.push(performance.now() - began)
  }
  watcher.close()
  return {
    name: 'a device: a line of its log, p99',
    value: percentile(all, 0.99),
    unit: 'ms',
    target: { is: 'at most', value: 200 },
    measured: `from a request to flows that log a line until a client of the console has it, ${all.length} lines`,
    data: about,
    note: `median ${Math.round(median(all))}`,
  }
}

/** Asks a thing of the editor by turns through the tunnel and at the socket of Node-RED. */
async function tunnel({ server, cookie, deviceId, agent }: Scene, { quick }: Context): Promise<Row> {
  const client = server.client(cookie)
  const params = { deviceId }
  await client.call('deviceDeveloper.setMode', { params, body: { mode: 'developer' } })
  await agent.said(/Developer mode is on/)
  await client.call('deviceEditor.set', { params, body: { enabled: true } })
  const { url } = await client.call('deviceEditor.enter', { params })
  const { host, pathname, search } = new URL(url)
  const through = (path: string, more: Record<string, string> = {}) =>
    timed({ host: '127.0.0.1', port: server.port, path, headers: { host, ...more } })
  const entered = await through(`${pathname}${search}`)
  const pass = { cookie: entered.cookie }
  await until(
    async () => (await through('/auth/login', pass)).status,
    (status) => status === 200,
    60_000,
  )
  const { active } = (await agent.state()) as unknown as { active: { id: string } }
  const record = readFileSync(join(agent.dir, 'nodered/instances', active.id, 'record.json'), 'utf8')
  const { socketDir } = JSON.parse(record) as { socketDir: string }
  const direct = () => timed({ socketPath: join(socketDir, 'http.sock'), path: '/device-editor/auth/login' })
  const [far, near]: [number[], number[]] = [[], []]
  for (let one = 0; one < (quick ? 5 : 300); one += 1) {
    near.push((await direct()).ms)
    far.push((await through('/auth/login', pass)).ms)
  }
  return {
    name: 'a device: through the tunnel and back, against direct',
    value: median(far) - median(near),
    unit: 'ms',
    target: { is: 'at most', value: 20 },
    measured: `GET auth/login of its editor, ${far.length} times by turns through the platform and at the socket of Node-RED; difference of the medians`,
    data: about,
    note: `through ${median(far).toFixed(1)}, direct ${median(near).toFixed(1)}`,
  }
}

/** One request with its time, status and cookie. */
function timed(options: object): Promise<{ ms: number; status: number; cookie: string }> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    request({ ...options, agent: false }, (answer) => {
      answer.resume()
      answer.on('end', () =>
        resolve({
          ms: performance.now() - began,
          status: answer.statusCode ?? 0,
          cookie: String(answer.headers['set-cookie']).split(';', 1)[0]!,
        }),
      )
    })
      .on('error', reject)
      .end()
  })
}
