import { percentile } from '../figures.ts'
import { load } from '../load.ts'
import { type Measure, withServer } from '../measure.ts'

/** Signing in is the most costly call there is; everyone else must not feel it. */
export const signIns: Measure = (context) =>
  withServer(context, async (server, cookie) => {
    const { username, password } = context.data
    const duration = context.quick ? 1 : 10
    const login = (seconds: number) =>
      load({
        url: `${server.address}/account/login`,
        connections: 10,
        duration: seconds,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password }),
      })
    const others = (seconds: number) =>
      load({
        url: `${server.address}/api/v1/user/`,
        connections: 1,
        duration: seconds,
        overallRate: 100,
        headers: { cookie },
      })
    await Promise.all([login(1), others(1)])
    const [signedIn, meanwhile] = await Promise.all([login(duration), others(duration)])
    const data = 'one user, right password, argon2id 19 MiB, 2 passes'
    const p = (share: number) => percentile(meanwhile.latencies, share)
    return [
      {
        name: 'sign-ins',
        value: signedIn.requestsPerSecond,
        unit: '/s',
        target: { is: 'at least', value: 40 },
        measured: `POST /account/login, 10 connections, ${duration} s`,
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
