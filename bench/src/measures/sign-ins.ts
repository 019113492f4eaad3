import { percentile } from '../figures.ts'
import { load } from '../load.ts'
import { type Measure, withServer } from '../measure.ts'

/** Signing in is the most costly call there is; everyone else must not feel it. */
export const signIns: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const { people, password } = context.data
    const amount = context.quick ? 20 : 600
    const bodies = people.map((username) => JSON.stringify({ username, password }))
    const login = (count: number) => {
      let next = 0
      return load({
        url: `${server.address}/account/login`,
        connections: people.length,
        amount: count,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        setupClient: (client) => client.setBody(bodies[next++ % bodies.length]!),
      })
    }
    const meanwhileOf = (logins: Promise<unknown>) =>
      load(
        { url: `${server.address}/api/v1/user/`, connections: 1, duration: 600, overallRate: 100, headers: { cookie } },
        logins,
      )
    await login(2 * people.length)
    const logins = login(amount)
    const [signedIn, meanwhile] = await Promise.all([logins, meanwhileOf(logins)])
    const data = `${people.length} users, right passwords, argon2id 19 MiB, 2 passes`
    const p = (share: number) => percentile(meanwhile.latencies, share)
    return [
      {
        name: 'sign-ins',
        value: signedIn.requestsPerSecond,
        unit: '/s',
        target: { is: 'at least', value: 40 },
        measured: `POST /account/login, 10 connections, ${amount} sign-ins`,
        data,
        note: `p50 ${Math.round(percentile(signedIn.latencies, 0.5))} ms`,
      },
      {
        name: 'GET user during sign-ins, p99',
        value: p(0.99),
        unit: 'ms',
        target: { is: 'below', value: 50 },
        measured: `GET /api/v1/user/ 100 times a second during these sign-ins, ${meanwhile.latencies.length} answers`,
        data,
        note: `p50 ${p(0.5).toPrecision(3)}`,
      },
    ]
  })
