import { type ClientRequest, get } from 'node:http'
import { median, percentile, spread } from '../figures.ts'
import { load } from '../load.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import { type Server, signIn } from '../server.ts'

/** The cost of telling open pages about changes, and its effect on other requests. */
export const eventStreams: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const { quick, data } = context
    const few = quick ? 4 : 50
    const ratio = await writesWithStreams(context, server, cookie, few)

    const { people, streams } = quick ? { people: 4, streams: 8 } : { people: 200, streams: 2_000 }
    const cookies: { cookie: string; teamId: string }[] = []
    for (const { username, teamId } of data.members.slice(0, people))
      cookies.push({ cookie: await signIn(server.address, { ...data, username }), teamId })
    const open = await openStreams(
      server,
      Array.from({ length: streams }, (_, n) => cookies[n % cookies.length]!),
    )
    const teams = [...new Set(cookies.map(({ teamId }) => teamId))]
    const seconds = quick ? 2 : 60
    const [reads, writes] = await Promise.all([
      load({
        ...paced(85, seconds),
        url: `${server.address}/api/v1/teams/${data.teamId}/applications`,
        headers: { cookie },
      }),
      load({
        ...paced(15, seconds),
        requests: teams.map((team) => renaming(team, cookie)),
        url: server.address,
      }),
    ])
    const alive = open.alive()
    open.close()
    const latencies = [...reads.latencies, ...writes.latencies]
    return [
      {
        name: `CPU of a write, ${few} streams to none`,
        value: ratio.value,
        unit: 'x',
        target: { is: 'at most', value: 1.1 },
        measured: `server CPU of PUT /api/v1/teams/:id, 50 a second for ${ratio.seconds} s, in turns with ${few} open event streams of the team and without`,
        data: 'one owner; every write changes the name of the team',
        note: ratio.note,
      },
      {
        name: `requests beside ${streams} streams, p99`,
        value: percentile(latencies, 0.99),
        unit: 'ms',
        target: { is: 'below', value: 250 },
        measured: `100 requests a second for ${seconds} s, 15 of them changes of teams that the streams show; ${latencies.length} answers; ${alive} streams open at the end`,
        data: `${people} people in ${teams.length} teams, ${streams / people} pages each; the client runs on the same cores`,
        note: `p50 ${percentile(latencies, 0.5).toFixed(1)} ms`,
      },
    ]
  })

async function writesWithStreams({ quick, data }: Context, server: Server, cookie: string, few: number) {
  const seconds = quick ? 1 : 10
  const cpuOfWrite = async () => {
    const before = server.cpuMs()
    const { latencies } = await load({
      ...paced(50, seconds),
      requests: [renaming(data.teamId, cookie)],
      url: server.address,
    })
    return (server.cpuMs() - before) / latencies.length
  }
  await cpuOfWrite()
  const ratios: number[] = []
  for (let round = 0; round < 3; round++) {
    const alone = await cpuOfWrite()
    const open = await openStreams(
      server,
      Array.from({ length: few }, () => ({ cookie, teamId: data.teamId })),
    )
    ratios.push((await cpuOfWrite()) / alone)
    open.close()
  }
  return { value: median(ratios), note: spread(ratios), seconds }
}

const paced = (rate: number, seconds: number) => ({ connections: 5, overallRate: rate, duration: seconds })

let serial = 0
/** A request that gives the team another name each time. */
const renaming = (team: string, cookie: string) => ({
  method: 'PUT' as const,
  path: `/api/v1/teams/${team}`,
  headers: { 'content-type': 'application/json', cookie },
  setupRequest: (request: object) => ({ ...request, body: JSON.stringify({ name: `Team ${(serial += 1)}` }) }),
})

/** Opens event streams, each about one team, and reads what they are told. */
async function openStreams(server: Server, wanted: { cookie: string; teamId: string }[]) {
  const open = new Set<ClientRequest>()
  for (const { cookie, teamId } of wanted)
    await new Promise<void>((resolve, reject) => {
      const call = get(
        `${server.address}/api/v1/events?team=${teamId}`,
        { agent: false, headers: { cookie } },
        (reply) => {
          if (reply.statusCode !== 200) return reject(new Error(`A stream was answered ${reply.statusCode}`))
          reply.resume().on('close', () => open.delete(call))
          resolve()
        },
      )
      open.add(call)
      call.on('error', reject)
    })
  return {
    alive: () => open.size,
    close(): void {
      for (const call of open) call.destroy()
    },
  }
}
