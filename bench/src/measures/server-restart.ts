import { clientWith, freePort, startKeeper, until } from '@app/server/testing'
import { join } from 'node:path'
import { percentile } from '../figures.ts'
import type { Measure } from '../measure.ts'
import { pace } from '../pace.ts'
import { signIn } from '../server.ts'

const root = join(import.meta.dirname, '../../..')
const perSecond = 50

/** The requests lost, of 100 a second, half of them to an instance, while the server restarts. */
export const serverRestart: Measure = async ({ home, data, quick }) => {
  const restarts = quick ? 2 : 20
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const keeper = startKeeper({
    home,
    port,
    folder: root,
    env: { ...process.env, FORGE_HOME: home, FORGE_PORT: String(port), FORGE_LOG_LEVEL: 'warn' },
    command: [process.execPath, '--import', './tools/require-node.mjs', 'tools/start.ts'],
  })
  const { id, name } = data.instances[0]!
  const params = { instanceId: id }
  try {
    await until(() => isReady(address), Boolean, 60_000)
    const client = clientWith(address, 'cookie', await signIn(address, data))
    const settled = (state: string) =>
      until(
        () => client.call('instance.get', { params }),
        ({ meta }) => meta.state === state,
        300_000,
      )
    await client.call('instance.start', { params })
    await settled('running')
    const traffic = [
      pace(port, `${name.toLowerCase()}.localhost:${port}`, '/ping', perSecond),
      pace(port, `localhost:${port}`, '/api/v1/settings', perSecond),
    ]
    const seconds: number[] = []
    for (let n = 0; n < restarts; n += 1) {
      const pid = keeper.serverPid()
      const begun = performance.now()
      process.kill(pid, 'SIGTERM')
      const isNext = async () => keeper.serverPid() > 0 && keeper.serverPid() !== pid && (await isReady(address))
      await until(isNext, Boolean, 60_000)
      seconds.push((performance.now() - begun) / 1000)
    }
    const results = await Promise.all(traffic.map((one) => one.stop()))
    await client.call('instance.suspend', { params })
    await settled('suspended')
    const sent = results.reduce((sum, one) => sum + one.sent, 0)
    const why = [...new Set(results.flatMap((one) => one.why))].join(', ')
    return [
      {
        name: 'server restarted: requests lost',
        value: results.reduce((sum, one) => sum + one.lost, 0),
        unit: '',
        target: { is: 'at most', value: 0 },
        measured: `of ${sent} requests, half to an instance through its proxy and half to the API, those without a 200`,
        data: `100 requests a second over kept connections, ${restarts} restarts by SIGTERM with a socket that outlives the server`,
        note: `${why ? `lost as ${why}; ` : ''}each restart took ${percentile(seconds, 0.5).toFixed(1)} s, at most ${Math.max(...seconds).toFixed(1)} s`,
      },
    ]
  } finally {
    await keeper.stop()
  }
}

const isReady = (address: string) =>
  fetch(`${address}/readyz`, { headers: { connection: 'close' } }).then(
    (answer) => answer.status === 200,
    () => false,
  )
