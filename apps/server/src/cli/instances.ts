import { adminCommand } from '../program.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { type Config } from '../config.ts'
import { openDriver } from '../drivers.ts'
import { askStop, clearFormer, findHost, updateHost } from '../features/hosting/index.ts'
import { type Database, openDatabase } from '../platform/db/database.ts'
import { lockHome } from '../platform/home.lock.ts'
import { checkSchema, CommandError } from './account.commands.ts'
import type { Shell } from './run.ts'

const lookMs = 250
const patienceMs = 120_000
/** A server that runs the instances says so every five seconds. */
const aliveMs = 20_000

type Say = Pick<Shell, 'say'>

async function withDatabase(config: Config, work: (database: Database) => Promise<void>): Promise<void> {
  const database = await openDatabase({ home: config.home, url: config.databaseUrl })
  try {
    await checkSchema(database)
    await work(database)
  } finally {
    await database.close()
  }
}

/** Ends all instances and keeps them from being started, by the server that runs them or, when none does, here. */
export const stopInstances = (config: Config, { say }: Say): Promise<void> =>
  withDatabase(config, async (database) => {
    const { read, kind } = database
    await askStop(read, Date.now())
    const host = await findHost(read, kind)
    if (host && Number(host.seen_at) > 0 && Number(host.silent) < aliveMs) await untilStopped(database, host.name)
    else await stopHere(config, database)
    say(
      'All instances were stopped, and none is started any more. What is to run is kept: a backup that is made now starts ' +
        `them where it is restored. To go on here: ${adminCommand} start-instances`,
    )
  })

async function untilStopped({ read, kind }: Database, name: string): Promise<void> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await delay(lookMs))
    if ((await findHost(read, kind))?.stopped_at != null) return
  throw new CommandError(`The server ${name} did not stop the instances within two minutes. Its log says why.`)
}

async function stopHere(config: Config, { read }: Database): Promise<void> {
  const release = lockHome(config.home)
  const driver = openDriver({ ...config, warmProcesses: 0 })
  try {
    for (const id of await driver.adopt()) await driver.stop(id)
    await updateHost(read, { stopped_at: Date.now() })
  } finally {
    await driver.close()
    release()
  }
}

export const startInstances = (config: Config, { say }: Say): Promise<void> =>
  withDatabase(config, async ({ read, kind }) => {
    if ((await findHost(read, kind))?.stop_asked_at == null) return say('The instances were not stopped by command.')
    await updateHost(read, { stop_asked_at: null, stopped_at: null })
    say('Instances may be started again. A server that runs starts them within seconds, another one when it starts.')
  })

/** For a machine that is gone for good, and so cannot say that its processes have ended. */
export const forgetFormer = (config: Config, { say }: Say): Promise<void> =>
  withDatabase(config, async ({ read, kind }) => {
    const host = await findHost(read, kind)
    if (!host?.former_home) return say('The instances were not taken over from a server that went silent.')
    await clearFormer(read, host.former_home)
    say(`${host.former_name} is forgotten. If it still runs instances, they run twice.`)
  })
