import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { percentile } from '../figures.ts'
import type { Measure } from '../measure.ts'
import type { Row } from '../report.ts'
import { openServers } from '../servers/platform.ts'
import { startPostgresPair } from '../servers/postgres-pair.ts'

const everyMs = 20
const awaySeconds = 5
const settleMs = 3_000

/** The writes that are lost or refused when the machine of PostgreSQL dies and its standby takes its place. */
export const failover: Measure = async ({ quick }) => {
  const away = quick ? 2 : awaySeconds
  const pair = await startPostgresPair()
  const platform = await openServers(pair.url, 2)
  try {
    const writes = beginWrites(platform)
    await sleep(settleMs)
    await pair.kill()
    const killed = performance.now()
    await sleep(away * 1000)
    await pair.promote()
    const promoted = performance.now()
    await sleep(settleMs)
    const all = await writes.stop()
    const kept = await namesIn(pair.otherUrl)
    const acknowledged = all.filter(({ status }) => status === 200)
    const refused = all.filter(({ status, endedAt }) => status !== 200 && endedAt > killed && endedAt < promoted)
    const first = acknowledged.find(({ beganAt }) => beganAt > promoted)
    const counts = new Map<number | string, number>()
    for (const { status } of all) counts.set(status, (counts.get(status) ?? 0) + 1)
    const note = `answers: ${[...counts].map(([status, count]) => `${count} with ${status}`).join(', ')}`
    const data = `two servers behind nginx on a PostgreSQL with a synchronous standby; the first killed by kill -9, the standby promoted ${away} s later`
    const measured = `${all.length} changes of the name of a team, one every ${everyMs} ms`
    const rows: Row[] = [
      {
        name: 'PostgreSQL failed over: acknowledged writes lost',
        value: acknowledged.filter(({ name }) => !kept.has(name)).length,
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: `${measured}; those answered with 200 that the audit log of the former standby does not have`,
        data,
        note,
      },
      {
        name: 'PostgreSQL failed over: writes not refused with 503 meanwhile',
        value: refused.filter(({ status }) => status !== 503).length,
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: `${refused.length} of these while no PostgreSQL could be written`,
        data,
        note: `answered after p50 ${percentile(
          refused.map(({ beganAt, endedAt }) => endedAt - beganAt),
          0.5,
        ).toFixed(0)} ms`,
      },
      {
        name: 'PostgreSQL failed over: first write afterwards',
        value: first ? (first.endedAt - promoted) / 1000 : Number.NaN,
        unit: 's',
        measured: `${measured}; from the promotion until the first that is answered with 200`,
        data,
      },
    ]
    return rows
  } finally {
    await platform.close()
    await pair.stop()
  }
}

interface Write {
  name: string
  status: number | string
  beganAt: number
  endedAt: number
}

/** Gives the team another name again and again, whatever becomes of the calls before. */
function beginWrites({ address, cookie, team }: { address: string; cookie: string; team: { id: string } }) {
  const calls: Promise<Write>[] = []
  const timer = setInterval(() => calls.push(write(`Team ${calls.length}`)), everyMs)
  async function write(name: string): Promise<Write> {
    const beganAt = performance.now()
    const status = await fetch(`${address}/api/v1/teams/${team.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie, origin: address },
      body: JSON.stringify({ name }),
    }).then(
      async (answer) => (await answer.text(), answer.status),
      (error: unknown) => (error as Error & { cause?: { code?: string } }).cause?.code ?? 'no answer',
    )
    return { name, status, beganAt, endedAt: performance.now() }
  }
  return {
    async stop(): Promise<Write[]> {
      clearInterval(timer)
      return Promise.all(calls)
    },
  }
}

/** The names that the audit log says the team was given. */
async function namesIn(url: string): Promise<Set<string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ body: string }>(`select body from audit_log where event like 'team.%'`)
  await client.end()
  return new Set(rows.flatMap(({ body }) => /"Team \d+"/g[Symbol.match](body) ?? []).map((name) => name.slice(1, -1)))
}
