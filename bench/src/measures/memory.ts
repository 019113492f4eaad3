import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { withInstances } from '../instances.ts'
import { load } from '../load.ts'
import { type Context, type Measure, withServer } from '../measure.ts'
import type { Server } from '../server.ts'

/** The memory of an idle server, alone and with instances to watch. */
export const memory: Measure = async (context) => {
  const count = context.data.instances.length
  const idle = await withServer(context, (server) => settled(context, server))
  forgetBuilds()
  const built = await withServer(context, (server) => settled(context, server))
  const used = await afterUse(context)
  const busy = await withInstances(context, count, (server) => settled(context, server))
  const measured = 'resident memory of the server process (VmRSS) 10 s after the last request'
  return [
    {
      name: 'server memory, idle',
      value: idle,
      unit: 'MB',
      target: { is: 'at most', value: 130 },
      measured,
      data: 'after a start and one sign-in; no instance runs',
    },
    {
      name: 'server memory, idle after a start that built',
      value: built / idle,
      unit: 'x',
      // As after any other start; two of these differ by some MB as well.
      target: { is: 'at most', value: 1.1 },
      measured: `${measured}, over that after a start that found everything built`,
      data: 'the console, the server and the runtime of instances built by npm start; no instance runs',
      note: `${built.toFixed(0)} MB to ${idle.toFixed(0)}`,
    },
    {
      name: 'server memory after use',
      value: used,
      unit: 'MB',
      target: { is: 'at most', value: 160 },
      measured: `resident memory of the server process (VmRSS) 20 s after ${mixed} requests and ${signInCount} sign-ins over 10 connections`,
      data: `reads of the user, of applications and of the audit log (200 entries), and changes of the team, by turns; ${context.auditData}`,
    },
    {
      name: `server memory, ${count} instances`,
      value: busy,
      unit: 'MB',
      target: { is: 'at most', value: 180 },
      measured,
      data: `${count} Node-RED processes that it started and watches`,
    },
  ]
}

const root = join(import.meta.dirname, '../../..')

/** The next start builds everything, as the first one after each change does. */
function forgetBuilds(): void {
  for (const app of ['web', 'server', 'instance-runtime']) rmSync(join(root, 'apps', app, 'dist/.sources'))
}

const mixed = 14_000
const signInCount = 60

async function afterUse(context: Context): Promise<number> {
  const { quick, data } = context
  return withServer(context, async (server, cookie) => {
    const team = `/api/v1/teams/${data.teamId}`
    const headers = { 'content-type': 'application/json', cookie }
    const reads = ['/api/v1/user/', `${team}/applications`, `${team}/audit-log?limit=200`]
    const read = reads.map((path) => ({ method: 'GET', path, headers }))
    const write = { method: 'PUT', path: team, headers, body: JSON.stringify({ name: 'Bench' }) }
    const amount = quick ? 40 : mixed
    await load({ url: server.address, connections: 10, amount, requests: [...read, write] })
    const body = JSON.stringify({ username: data.username, password: data.password })
    const login = { method: 'POST', path: '/account/login', headers: { 'content-type': 'application/json' }, body }
    await load({ url: server.address, connections: 10, amount: quick ? 10 : signInCount, requests: [login] })
    await sleep(quick ? 100 : 20_000)
    return server.rssMb()
  })
}

async function settled({ quick }: Context, server: Server): Promise<number> {
  await sleep(quick ? 100 : 10_000)
  return server.rssMb()
}
