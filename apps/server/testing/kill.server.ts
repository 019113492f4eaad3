import type { Driver } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'

/*
 * A whole server with real instances in a process of its own, which kills itself as `kill -9` does: as soon as a call of its
 * driver was done, `KILL_AT`, such as `pair.takeOver`. At `FREEZE_AT` it freezes instead, before the call where the name
 * begins with `before `, and goes on once it is told to. Its configuration comes as JSON.
 */
const config = JSON.parse(process.env.CRASH_CONFIG!) as Config & { runtimeEntry: string }
const { KILL_AT: killAt, FREEZE_AT: freezeAt } = process.env
const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
const driver: Driver = createLocalDriver({ home: config.home, runtimeEntry: config.runtimeEntry, warmProcesses: 0 })

/** Does something to this process before or after the next call of its driver that has this name. */
function at(call: string, { before, after }: { before?: () => void; after?: () => Promise<void> | void }): void {
  const [of, name] = call.startsWith('pair.') ? [driver.pair!, call.slice('pair.'.length)] : [driver, call]
  const usual = Reflect.get(of, name) as (...values: unknown[]) => Promise<unknown>
  Reflect.set(of, name, async (...values: unknown[]) => {
    Reflect.set(of, name, usual)
    before?.()
    const result = await usual.apply(of, values)
    await after?.()
    return result
  })
}

const freeze = () => void process.kill(process.pid, 'SIGSTOP')
if (killAt !== undefined)
  at(killAt, {
    after() {
      process.kill(process.pid, 'SIGKILL')
      // Nothing happens after it.
      return new Promise(() => {})
    },
  })
if (freezeAt?.startsWith('before ')) at(freezeAt.slice('before '.length), { before: freeze })
else if (freezeAt !== undefined) at(freezeAt, { after: freeze })
function end(reason: string): void {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}
const app = await createApp({ config, driver, log, pages: join(config.home, 'no-pages'), end })
await app.listen()
// A killed process has no end at which Node.js would write it.
flushCompileCache()
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)))
