import type { Driver } from '@app/drivers'
import { sql } from 'kysely'
import { type Database, isReadOnly } from '../../platform/db/database.ts'
import { counted } from '../../platform/counted.ts'
import { countDescriptors } from '../../platform/descriptors.ts'
import type { Clock } from '../../platform/clock.ts'
import { damageOf } from '../../platform/db/sound.ts'
import { type Disk, spaceOn } from '../../platform/disk.ts'
import { broken, fine, type Finding, off, warning } from '../../platform/health/check.ts'

const slowMs = 250
const mb = 1024 * 1024
const gb = 1024 * mb
const driftMs = 5_000
/** After a start the machine has other things to do first. */
const settleSeconds = 600

const soundMs = 86_400_000

/** Finds damage in the file of the embedded database; reads it as a whole once a day at most. */
export function createSoundness(home: string, clock: Clock): () => Promise<string | undefined> {
  let looked: { at: number; damage: Promise<string | undefined> } | undefined
  return async () => {
    if (!looked || clock.now() - looked.at > soundMs) looked = { at: clock.now(), damage: damageOf(home) }
    return looked.damage
  }
}

/** Asks three times, since one answer may be late. `damage` is asked of the embedded database alone. */
export async function checkDatabase(
  database: Database,
  damage: () => Promise<string | undefined> = async () => undefined,
): Promise<Finding> {
  const { read, kind } = database
  const name = kind === 'postgres' ? 'PostgreSQL' : 'The embedded database'
  let best = Infinity
  try {
    for (let n = 0; n < 3; n += 1) {
      const start = performance.now()
      await sql`select 1 from servers limit 1`.execute(read)
      best = Math.min(best, performance.now() - start)
    }
    if (await isReadOnly(database)) return broken('DB03', `${name} answers, and takes no writes.`)
  } catch {
    return broken('DB01', `${name} does not answer.`)
  }
  const found = kind === 'sqlite' ? await damage() : undefined
  if (found !== undefined) return broken('DB04', `The file of the embedded database is damaged: ${found}.`)
  return judgeAnswer(name, best)
}

/** Judges how long a database, which `name` is for the sentence, takes for the shortest question. */
export function judgeAnswer(name: string, ms: number): Finding {
  const seen = `${name} answers in ${ms < 1 ? 'less than 1' : Math.round(ms)} ms.`
  return ms > slowMs ? warning('DB02', seen) : fine(seen)
}

/** `free` and `total` in bytes. */
export function judgeDisk({ free, total }: { free: number; total: number }): Finding {
  const part = free / total
  const seen = `${(free / gb).toFixed(1)} GB of ${(total / gb).toFixed(1)} GB are free (${Math.floor(part * 100)} %).`
  if (free < 300 * mb || part < 0.01) return broken('DISK01', seen)
  if (free < 2 * gb || part < 0.05) return warning('DISK02', seen)
  return fine(seen)
}

/** Half of what is left is needed at once when many people open a page. */
export function judgeDescriptors({ open, most }: { open: number; most: number }): Finding {
  const seen = `${open} of ${most} files and connections are open.`
  if (open >= most * 0.95) return broken('FD01', seen)
  return open >= most * 0.8 ? warning('FD01', seen) : fine(seen)
}

export async function checkDescriptors(): Promise<Finding> {
  const counted = await countDescriptors()
  return counted ? judgeDescriptors(counted) : off('This system does not tell how many files are open.')
}

export async function checkDisk(home: string, disk: Pick<Disk, 'isFull'>): Promise<Finding> {
  if (disk.isFull()) return broken('DISK03', 'There is no room: only reading, signing in and deleting work.')
  return judgeDisk(await spaceOn(home))
}

/** Compares the clock with that of the database where it has one of its own, and with the time that has passed. */
export async function checkClock({ read, kind }: Database, now: () => number = Date.now): Promise<Finding> {
  const turned = Math.abs(now() - (performance.timeOrigin + performance.now()))
  if (kind === 'postgres') {
    const before = now()
    const { rows } = await sql<{
      at: number
    }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as at`.execute(read)
    const apart = Math.abs(Number(rows[0]?.at) - (before + now()) / 2)
    if (apart > driftMs) return warning('TIME01', `The clocks are ${Math.round(apart / 1000)} s apart.`)
  }
  if (turned > driftMs)
    return warning('TIME02', `The clock was turned by ${Math.round(turned / 1000)} s since the server was started.`)
  return fine(`It is ${new Date(now()).toISOString().slice(0, 16).replace('T', ' ')} UTC.`)
}

/** Checks of the registry and of the warm processes; the driver is asked once for both. */
export function driverChecks(driver: Driver, uptime: () => number = () => process.uptime()) {
  let asked: ReturnType<Driver['health']> | undefined
  const health = () => (asked ??= driver.health().finally(() => (asked = undefined)))
  return {
    async registry(): Promise<Finding> {
      const { registry } = await health()
      if (!registry) return off('This driver fetches nothing.')
      return registry.reachable ? fine('npm registry reachable.') : broken('REG01', `${registry.reason}.`)
    },
    async warm(): Promise<Finding> {
      const { warm } = await health()
      if (!warm) return off('None are to be kept, by the settings.')
      const seen = `${warm.waiting} of ${warm.wanted} ready for new instances.`
      const missing = warm.wanted > 0 && warm.waiting === 0
      return missing && uptime() > settleSeconds ? warning('WARM01', seen) : fine(seen)
    },
    async limits(): Promise<Finding> {
      const { unwalled = 0, engine } = await health()
      if (engine?.reachable === false) return broken('DRV04', `${engine.reason}.`)
      const { gaps } = driver.capabilities
      if (gaps.length === 0 && unwalled > 0)
        return warning(
          'DRV03',
          `${counted(unwalled, 'instance')} started before isolation was available, and ${unwalled === 1 ? 'runs' : 'run'} without it.`,
        )
      return gaps.length > 0
        ? warning('DRV01', gaps.join(' '))
        : fine('Instances are limited and isolated from each other.')
    },
  }
}

/** Whether the server and the database agree about the master key. */
export function judgeKey({ isReplacing, isOutdated }: { isReplacing: boolean; isOutdated: boolean }): Finding {
  if (isReplacing) return warning('KEY01', 'The master key is being replaced.')
  if (isOutdated) return warning('KEY02', 'The settings of this server name a former master key.')
  return fine('The server has the master key of the database.')
}
