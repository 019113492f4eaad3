import { freePort } from '@app/server/testing'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../figures.ts'
import { createFleet, type Fleet, type FleetDevice } from '../fleet.ts'
import type { Measure } from '../measure.ts'
import { brokerPid, cpuMsOf, rssMbOf } from '../processes.ts'
import type { Row } from '../report.ts'
import { runServer, type Server, signIn } from '../server.ts'

const entry = 'tools/start.ts'
/** So many are added at once. */
const together = 20
const comeBackMs = 180_000

/** Many devices over the embedded broker: what they cost, how they are listed and told, and how they come back. */
export const devices: Measure = async ({ home, data, quick, settings }) => {
  const [count, told] = quick ? [100, 20] : [10_000, 1_000]
  const port = await freePort()
  const env = { ...settings, FORGE_BROKER_PORT: String(port) }
  let server = await runServer(home, entry, env)
  const about = `${count} devices of one team, connected over MQTT on TCP, each with a report a minute; SQLite`
  const row = (name: string, value: number, unit: string, target: number, measured: string, note?: string): Row => ({
    name: `${count} devices: ${name}`,
    value,
    unit,
    target: { is: 'at most', value: target },
    measured,
    data: about,
    ...(note === undefined ? {} : { note }),
  })
  const cookie = await signIn(server.address, data)
  const instanceId = data.instances[0]!.id
  const { team } = await server.client(cookie).call('instance.get', { params: { instanceId } })
  const fleetDevices = await addDevices(server, cookie, team.id, count)
  const fleet = createFleet(port, fleetDevices)
  try {
    await fleet.joinAll()
    await sleep(quick ? 1_000 : 60_000)
    const broker = brokerPid(home)!
    const [before, from] = [server.cpuMs(), performance.now()]
    const brokerBefore = cpuMsOf(broker)
    await sleep(quick ? 5_000 : 60_000)
    const passed = performance.now() - from
    const rows = [
      row('memory of the broker', rssMbOf(broker), 'MB', 500, 'resident memory of its process (VmRSS)'),
      row(
        'CPU of the server',
        (100 * (server.cpuMs() - before)) / passed,
        '%',
        10,
        `CPU in ${Math.round(passed / 1000)} s, of one core`,
        `that of the broker: ${((100 * (cpuMsOf(broker) - brokerBefore)) / passed).toFixed(1)} %`,
      ),
    ]
    const list = await times(server, cookie, `/api/v1/teams/${team.id}/devices?limit=50`, quick ? 10 : 200)
    const charts = await times(server, cookie, `/api/v1/teams/${team.id}/devices/charts`, quick ? 10 : 200)
    const asked = 'one after the other, until its answer is read'
    rows.push(
      row(
        'a page of the list, p99',
        percentile(list, 0.99),
        'ms',
        50,
        `GET …/devices?limit=50, ${list.length} times ${asked}`,
      ),
      row(
        'its two charts, p99',
        percentile(charts, 0.99),
        'ms',
        50,
        `GET …/devices/charts, ${charts.length} times ${asked}`,
      ),
    )
    rows.push(await target(server, cookie, { fleet, of: fleetDevices.slice(0, told), instanceId, about }))

    process.kill(broker, 'SIGKILL')
    await server.kill()
    const killedAt = performance.now()
    server = await runServer(home, entry, { ...env, FORGE_PORT: String(server.port) })
    const waits: number[] = []
    let isBack = false
    const asking = (async () => {
      while (!isBack) {
        waits.push(...(await times(server, cookie, '/api/v1/user/', 1)))
        await sleep(20)
      }
    })()
    await fleet.allOpen(comeBackMs).finally(() => (isBack = true))
    const backS = (performance.now() - killedAt) / 1000
    await asking
    rows.push(
      row(
        'all back',
        backS,
        's',
        60,
        'from kill -9 of the server and the broker until all are connected again, the start of both included; each tries anew after 1 to 10 s',
      ),
      row(
        'the console meanwhile, p99',
        percentile(waits, 0.99),
        'ms',
        200,
        `GET /api/v1/user/, ${waits.length} times ${asked}, from the first answer of the new server on`,
      ),
    )
    return rows
  } finally {
    await fleet.end()
    await server.stop()
  }
}

async function addDevices(server: Server, cookie: string, teamId: string, count: number): Promise<FleetDevice[]> {
  const client = server.client(cookie)
  const made: FleetDevice[] = []
  const add = async (at: number) => {
    const { id, credentials } = await client.call('device.create', {
      body: { name: `oven-${at}`, type: 'oven', team: teamId },
    })
    made.push({ id, teamId, broker: credentials.broker! })
  }
  for (let at = 0; at < count; at += together)
    await Promise.all(Array.from({ length: Math.min(together, count - at) }, (_, one) => add(at + one)))
  return made
}

/** The time from a new target until the last of its devices has heard of it. */
async function target(
  server: Server,
  cookie: string,
  { fleet, of, instanceId, about }: { fleet: Fleet; of: FleetDevice[]; instanceId: string; about: string },
): Promise<Row> {
  const client = server.client(cookie)
  for (let at = 0; at < of.length; at += 100) {
    const ids = of.slice(at, at + 100).map(({ id }) => id)
    await client.call('device.assignMany', {
      params: { teamId: of[0]!.teamId },
      body: { devices: ids, instance: instanceId },
    })
  }
  const { id: targetSnapshot } = await client.call('snapshot.create', {
    params: { instanceId },
    body: { name: 'fleet' },
  })
  await sleep(3_000)
  const heard = new Map<string, number>()
  fleet.hear((id, at) => void heard.set(id, at))
  const began = performance.now()
  await client.call('device.setTarget', { params: { instanceId }, body: { targetSnapshot } })
  for (const until = began + 60_000; heard.size < of.length && performance.now() < until; ) await sleep(20)
  if (heard.size < of.length) throw new Error(`${of.length - heard.size} devices were not told`)
  return {
    name: `a new target for ${of.length} devices: the last one told`,
    value: (Math.max(...heard.values()) - began) / 1000,
    unit: 's',
    target: { is: 'at most', value: 5 },
    measured: 'from POST …/devices/settings until the last agent has the command',
    data: about,
  }
}

/** Milliseconds until each answer is read. @throws Error for one that is not 200. */
async function times(server: Server, cookie: string, path: string, count: number): Promise<number[]> {
  const all: number[] = []
  for (let one = 0; one < count; one += 1) {
    const began = performance.now()
    const answer = await fetch(server.address + path, { headers: { cookie } })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    all.push(performance.now() - began)
  }
  return all
}
