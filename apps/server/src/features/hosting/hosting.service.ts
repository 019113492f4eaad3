import { adminCommand } from '../../program.ts'
import { DriverError } from '@app/drivers'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { hasOthers } from '../../platform/keys/keys.store.ts'
import type { Worker } from '../../platform/jobs/worker.ts'
import {
  beatHost,
  clearFormer,
  findHost,
  holdsHost,
  type HostRow,
  releaseHost,
  takeHost,
  takenMs,
  updateHost,
} from './hosting.store.ts'

/**
 * Interval at which it says that it runs the instances, and the time it may fail to before it ends them: less than
 * another server waits before it takes them over, by the time that flows may take to end.
 */
export interface HostTimes {
  beatMs: number
  holdMs: number
}
const usual: HostTimes = { beatMs: 5_000, holdMs: takenMs - 30_000 }
/** Several beats were missed. */
const silentMs = 20_000

/** The id of a FORGE_HOME, made once; a copy of the folder has the same. */
function homeIdOf(home: string): string {
  const file = join(home, 'home-id')
  try {
    writeFileSync(file, randomUUID(), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readFileSync(file, 'utf8')
}

/** Where the instances run, as this server knows it. */
export interface HostState {
  /** `here`, on another server, or on none: that one ended, or has not been heard of for long. */
  at: 'here' | 'elsewhere' | 'nowhere'
  /** Since when the other server is silent, in seconds; absent when it ended in order, or there was none. */
  silentSeconds?: number
  name?: string
  /** Taken over from a server that may still have processes. */
  former?: { name: string; at: number }
  /** The instances were ended for good, or are to be. */
  stopped?: 'asked' | 'done'
  /** Why none may be started besides, for administrators: with paths and process ids. */
  blocked?: string
}

export interface HostDependencies {
  database: Database
  home: string
  log: Logger
  /** Another server took the instances over: nothing of them may go on here. */
  lost(reason: string): void
  /** All instances are to be ended, and none is to be started. */
  stopAll(): Promise<void>
  /** Starts every instance that is wanted. */
  startAll(): Promise<void>
  /** Why no instance may be started besides, for administrators. */
  blocked(): string | undefined
  /** For tests. */
  times?: HostTimes | undefined
}

export interface Host extends Worker {
  /** True when this server is to run the instances: nobody else did within the last minute, or it was this one. */
  take(): Promise<boolean>
  isHere(): boolean
  /** Must no instance be started? */
  isStoppedByCommand(): Promise<boolean>
  /** @throws DriverError when this server may not start an instance: asked in the transaction that leads to it. */
  mayStart(tx: Tx): Promise<void>
  /**
   * Does another server run the instances by now? Costs nothing but after a silence as long as that of a server that was
   * frozen or cut off.
   */
  isLost(): Promise<boolean>
  /** Why none may be started, though this server runs them; for administrators. */
  blocked(): string | undefined
  state(): Promise<HostState>
  /** Why no server runs the instances; undefined while one does. Costs nothing where they run. */
  away(): Promise<string | undefined>
  /** Nothing of this home runs any more that another server took over. */
  cleared(): Promise<void>
  /** A server that ends in order leaves the instances to the next one at once. */
  stop(): Promise<void>
}

/**
 * Which of several servers on one PostgreSQL runs the instances. Their processes and files are those of one FORGE_HOME,
 * so a server with another one would take all of them for missing, and start each a second time.
 */
export function createHost(deps: HostDependencies): Host {
  const { database, home, log, lost, stopAll, startAll, blocked, times = usual } = deps
  const { read, kind } = database
  const name = `${hostname()}:${home}`
  const homeId = homeIdOf(home)
  const holder = newId()
  let timer: NodeJS.Timeout | undefined
  let isHere = false
  let isElsewhere = false
  /** The instances were stopped by command. */
  let isStopped = false
  let wasBlocked = false
  let work: Promise<void> | undefined
  /** When the last word was begun that reached the database, and whether another server was there then. */
  let said = performance.now()
  let isAlone = true
  /** They were ended because another server may have taken them over. */
  let isHeld = false

  /** Once; from then on nothing is claimed or started here. */
  function lose(): void {
    if (!isHere) return
    isHere = false
    clearInterval(timer)
    lost(
      'Another server took the instances over, because this one was silent for a minute. This server stopped its instances and itself.',
    )
  }

  async function beat(): Promise<void> {
    const begun = performance.now()
    const row = await beatHost(read, kind, holder)
    if (!row) return lose()
    said = begun
    isAlone = !(await hasOthers(read, kind, name))
    const isFree = (isStopped || wasBlocked || isHeld) && row.stop_asked_at === null && blocked() === undefined
    if (isFree) {
      isStopped = false
      wasBlocked = false
      isHeld = false
      await startAll()
    }
    if (row.stop_asked_at === null || row.stopped_at !== null) return
    await stopAll()
    isStopped = true
    await updateHost(read, { stopped_at: Date.now() })
    log.warn('all instances were stopped, as asked for by command; none is started until start-instances')
  }

  /** Cut off from the database for so long that another server may run the instances by now. */
  async function hold(): Promise<void> {
    if (isAlone || !isHere || performance.now() - said < times.holdMs) return
    if (!isHeld)
      log.error(
        'the database could not be reached for so long that another server may take over the instances: they are stopped here, and start again once it can be reached and no server took over',
      )
    isHeld = true
    // With every word that fails, for what was just about to start.
    await stopAll()
  }

  const attempt = () => {
    work ??= beat()
      .catch(async (error: unknown) => {
        log.warn({ err: error }, 'could not record that the instances run here')
        await hold()
      })
      .catch((error: unknown) => log.error({ err: error }, 'not all instances were ended'))
      .finally(() => {
        work = undefined
      })
  }

  async function holds(tx: Tx): Promise<Pick<HostRow, 'stop_asked_at'> | undefined> {
    if (!isHere) return undefined
    const row = await holdsHost(tx, kind, holder)
    if (!row) lose()
    return row
  }

  async function state(): Promise<HostState> {
    const row = await findHost(read, kind)
    const stopped = row?.stop_asked_at == null ? undefined : row.stopped_at === null ? 'asked' : 'done'
    const rest = {
      ...(row?.former_name && { former: { name: row.former_name, at: Number(row.former_at) } }),
      ...(stopped && ({ stopped } as const)),
    }
    const why = isHere ? blocked() : undefined
    if (isHere) return { at: 'here', ...rest, ...(why === undefined ? {} : { blocked: why }) }
    if (!row || Number(row.seen_at) === 0) return { at: 'nowhere', ...rest }
    const silent = Number(row.silent)
    return {
      at: silent > silentMs ? 'nowhere' : 'elsewhere',
      silentSeconds: Math.max(0, Math.round(silent / 1000)),
      name: row.name,
      ...rest,
    }
  }

  async function away(): Promise<string | undefined> {
    // Before it was found out, and while this one ends, others may be there.
    if (!isElsewhere) return undefined
    const now = await state()
    return now.at === 'nowhere' ? awayText(now) : undefined
  }

  return {
    async take() {
      const before = await findHost(read, kind)
      if (!(await takeHost(read, kind, { home: homeId, holder, name, pid: process.pid }))) {
        log.warn(
          { host: before?.name },
          'a server with another FORGE_HOME runs the instances of this database; this one serves the console alone',
        )
        isElsewhere = true
        return false
      }
      if (before && before.home !== homeId && Number(before.seen_at) > 0)
        log.error(
          { former: before.name, pid: before.pid, silentSeconds: Math.round(Number(before.silent) / 1000) },
          'the instances were taken over from a server that went silent: its processes may still run on its machine, and must be ended there',
        )
      isHere = true
      wasBlocked = blocked() !== undefined
      if (wasBlocked) log.error(blocked())
      isStopped = before?.stop_asked_at != null && before.stopped_at !== null
      said = performance.now()
      timer = setInterval(attempt, times.beatMs)
      return true
    },
    isHere: () => isHere,
    isStoppedByCommand: async () => (await findHost(read, kind))?.stop_asked_at != null,
    holds: async (tx) => (await holds(tx)) !== undefined,
    async mayStart(tx) {
      const row = await holds(tx)
      if (!row) throw new DriverError('not_host', 'Another server runs the instances now')
      if (row.stop_asked_at !== null)
        throw new DriverError(
          'stopped_for_good',
          `All instances of this platform were stopped for good, as for a move to another machine. An administrator starts them again with \`${adminCommand} start-instances\``,
        )
      if (blocked() !== undefined) throw new DriverError('origin_alive', originText)
    },
    async isLost() {
      if (isHere && performance.now() - said < times.holdMs) return false
      return database.transact(async (tx) => (await holds(tx)) === undefined)
    },
    async demand() {
      const text = await away()
      if (text !== undefined)
        throw fail('instances_unavailable', `${text}. Nothing was changed; try again once it is started`, {
          retryAfter: 30,
        })
    },
    blocked,
    state,
    away,
    cleared: () => clearFormer(read, homeId),
    async stop() {
      if (!isHere) return
      isHere = false
      clearInterval(timer)
      await work
      await releaseHost(read, holder).catch((error: unknown) => log.warn({ err: error }, 'not released'))
    },
  }
}

/** For members of teams, who learn neither folders nor processes of the machine. */
const originText =
  'The platform that this one was restored from still runs its instances, and the same flows would run twice. This one is started when those have ended. Administrators see in Health what to do'

/** Why nothing can be asked of the instances, for people. */
const awayText = ({ silentSeconds }: HostState): string =>
  silentSeconds === undefined
    ? 'No server runs the instances at the moment: the one that did was stopped'
    : `The server that runs the instances was last heard of ${silentSeconds} s ago`
