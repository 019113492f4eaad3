import type { Driver } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'

/*
 * A whole server with real instances in a process of its own, which kills itself as `kill -9` does: as soon as a call of its
 * driver was done, `KILL_AT`, such as `pair.takeOver`. Its configuration comes as JSON.
 */
const config = JSON.parse(process.env.CRASH_CONFIG!) as Config & { runtimeEntry: string }
const { KILL_AT: at } = process.env
const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
const driver: Driver = createLocalDriver({ home: config.home, runtimeEntry: config.runtimeEntry, warmProcesses: 0 })

if (at !== undefined) {
  const [of, name] = at.startsWith('pair.') ? [driver.pair!, at.slice('pair.'.length)] : [driver, at]
  const usual = Reflect.get(of, name) as (...values: unknown[]) => Promise<unknown>
  Reflect.set(of, name, async (...values: unknown[]) => {
    await usual.apply(of, values)
    process.kill(process.pid, 'SIGKILL')
    // Nothing happens after it.
    return new Promise(() => {})
  })
}
const app = await createApp({ config, driver, log, pages: join(config.home, 'no-pages') })
await app.listen()
// A killed process has no end at which Node.js would write it.
flushCompileCache()
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)))
