import type { InstanceSpec } from '../driver.ts'
import { createLocalDriver, type LocalDriverConfig } from '../local/index.ts'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { unusedMachine } from './unused.machine.ts'
import { until } from './until.ts'

/*
 * A platform in a process of its own, which starts an instance once something waits for it. It kills itself, as `kill -9` does,
 * as soon as a file or folder got a name that ends in `KILL_AT`; at `waiting` when something waits.
 */
const { config, spec } = JSON.parse(process.argv[2]!) as { config: LocalDriverConfig; spec: InstanceSpec }
const { KILL_AT: killAt = 'waiting' } = process.env
const die = () => process.kill(process.pid, 'SIGKILL')

const { renameSync } = fs
fs.renameSync = (from, to) => {
  renameSync(from, to)
  if (String(to).endsWith(killAt)) die()
}
syncBuiltinESMExports()

const driver = createLocalDriver(config, unusedMachine)
driver.expect(spec.stack)
await until('something waits', async () => (await driver.health()).warm?.waiting === 1)
if (killAt === 'waiting') die()
await driver.start(spec)
