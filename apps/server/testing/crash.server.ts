import { createStubDriver } from '@app/drivers/stub'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { pino } from 'pino'
import { createApp } from '../src/app.ts'
import type { Config } from '../src/config.ts'

// A whole server in a process of its own, for a test that kills it. Its configuration comes as JSON.
const config = JSON.parse(process.env.CRASH_CONFIG!) as Config
const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
// Without the console, which the calls of the writers do not need.
const app = await createApp({ config, driver: createStubDriver(), log, pages: join(config.home, 'no-pages') })
await app.listen()
// A killed process has no end at which Node.js would write it.
flushCompileCache()
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)))
