import { nodejsOfNodeRed } from '@app/contract/device-nodejs'
import type { Driver, InstanceSpec, InstanceStatus } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log } from '../agent.log.ts'
import type { Memory } from '../control/memory.ts'
import type { AuditQueue } from '../logs/audit.queue.ts'
import type { StateStore } from '../targets/state.store.ts'
import type { LocalPlatform } from './local.platform.ts'

/** The process that the platform runs for an instance; a device runs the same. */
const runtimeEntry = fileURLToPath(new URL('../../../instance-runtime/dist/main.js', import.meta.url))
/** The root of a clone or of the installed package: a Node-RED came with it. */
const shipped = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

/** The clock of a device may be a year off; no restart waits longer than this. */
const longestPauseMs = 400_000
/** Until Node-RED is started again that could not be started, as on a full disk. */
const retryMs = 30_000
/** Maximum time that a restart waits for Node-RED. */
const startMs = 10_000
const lookMs = 50

/** Options of a start after a crash. */
type How = Pick<InstanceSpec, 'again' | 'safe'>

export type Runtime = ReturnType<typeof createRuntime>

export interface RuntimeOptions {
  dir: string
  store: StateStore
  log: Log
  platform: LocalPlatform
  credentialSecret: string
  memory: Pick<Memory, 'next'>
  audit: Pick<AuditQueue, 'add'>
}

/** Node-RED on this device: what starts it, and starts it again when it crashes. */
export function createRuntime({ dir, store, log, platform, credentialSecret, memory, audit }: RuntimeOptions) {
  const filesDir = join(dir, 'files')
  mkdirSync(filesDir, { recursive: true, mode: 0o700 })
  const driver: Driver = createLocalDriver({ home: join(dir, 'nodered'), runtimeEntry, shipped })
  let timer: NodeJS.Timeout | undefined
  let isSuspended = false
  /** The target whose Node-RED could not be started, with the reason. */
  let failed: { id: string; why: string } | undefined

  function stackOf(nodered: string): InstanceSpec['stack'] {
    const nodejs = nodejsOfNodeRed(process.versions.node)
    return { nodered, memory: memory.next(), ...(nodejs === process.versions.node ? {} : { nodejs }) }
  }

  /** @throws Error when the target is not on disk. */
  function specOf(id: string): InstanceSpec {
    const contents = store.contents(id)
    if (!contents) throw new Error(`The target ${id} is not on this device`)
    return {
      id,
      name: contents.target.name,
      teamId: '',
      stack: stackOf(contents.nodered),
      platformUrl: platform.url,
      instanceUrl: 'http://localhost',
      token: platform.token,
      client: { id: 'none', secret: 'none' },
      credentialSecret,
      modules: contents.modules,
      filesDir,
    }
  }

  /** Starts the active target again after a crash, as the driver says when and how. False where that is none. */
  function again(id: string, { state, restart, reason }: InstanceStatus): boolean {
    if (isSuspended || id !== store.get().active?.id || state !== 'crashed' || !restart) return false
    const { at, safe, crashes } = restart
    const pause = Math.min(Math.max(0, at - Date.now()), longestPauseMs)
    log.error(
      `Node-RED crashed: ${reason}. Crash ${crashes}, next start in ${Math.round(pause / 1000)} s${safe ? ' without flows' : ''}`,
    )
    plan(id, pause, { again: true, safe })
    return true
  }

  function plan(id: string, pause: number, how: How): void {
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (!isSuspended && id === store.get().active?.id)
        launch(id, how).catch((error: Error) => log.error(`Node-RED was not started: ${error.message}`))
    }, pause)
  }

  /** Starts Node-RED now, and again later where that fails. @throws Error when it fails. */
  async function launch(id: string, how: How = {}): Promise<void> {
    failed = undefined
    try {
      await driver.start({ ...specOf(id), ...how })
      if (how.safe) audit.add({ event: 'safe-mode', timestamp: Date.now() })
    } catch (error) {
      // A crash has a time of its own for the next start.
      if ((await driver.status(id)).state !== 'crashed') {
        failed = { id, why: (error as Error).message }
        if (!isSuspended) plan(id, retryMs, how)
      }
      throw error
    }
  }

  async function isIn(...states: InstanceStatus['state'][]): Promise<boolean> {
    const { active } = store.get()
    return active !== undefined && states.includes((await driver.status(active.id)).state)
  }

  const isAnswering = async () => isIn('running', 'safe')

  driver.watch((id, status) => {
    if (again(id, status)) {
      const error = { code: 'crashed', message: status.reason }
      audit.add({ event: 'crashed', timestamp: Date.now(), error })
    }
  })

  return {
    driver,
    specOf,
    /** The version of Node-RED where a snapshot names none. */
    usualNodeRed: (): string =>
      (JSON.parse(readFileSync(join(shipped, 'node_modules/node-red/package.json'), 'utf8')) as { version: string })
        .version,

    /** Removes whatever a kill has left half done, finds the running Node-RED, or starts it unless it is suspended. */
    async recover({ suspended }: { suspended: boolean }): Promise<void> {
      const { active, candidate } = store.get()
      for (const id of store.ids().filter((one) => one !== active?.id)) {
        await driver.remove(id)
        store.drop(id)
      }
      if (candidate) {
        await driver.remove(candidate.id)
        log.warn(`The target ${candidate.name} was left half done and is removed`)
      }
      await driver.adopt()
      if (active?.snapshot == null) return
      if (suspended) return driver.stop(active.id)
      const status = await driver.status(active.id)
      if (status.state === 'crashed') again(active.id, status)
      if (status.state === 'stopped') await launch(active.id)
    },

    /** The active target is about to give way: started again after a crash, it would act beside the new one. */
    suspendRestarts(): void {
      isSuspended = true
      clearTimeout(timer)
    },
    /** The target that is active now is started again after a crash, also after one in the meantime. */
    async resumeRestarts(): Promise<void> {
      isSuspended = false
      const { active } = store.get()
      if (active?.snapshot == null) return
      if (failed?.id === active.id) plan(active.id, retryMs, {})
      else again(active.id, await driver.status(active.id))
    },

    /** Why Node-RED of the active target could not be started, while it is tried again. */
    failure: (): string | undefined => (failed?.id === store.get().active?.id ? failed?.why : undefined),

    /** Starts the active target unless its flows run. @throws Error when that fails; it is tried again then. */
    async start(): Promise<void> {
      clearTimeout(timer)
      const { active } = store.get()
      if (active?.snapshot == null) return
      if (await isIn('safe')) await driver.stop(active.id)
      await launch(active.id)
    },
    isAnswering,
    /** Ends Node-RED and starts it again. `staysSafe`: safe mode goes on. Returns once it answers. */
    async restart({ staysSafe }: { staysSafe: boolean }): Promise<void> {
      clearTimeout(timer)
      const { active } = store.get()
      if (active?.snapshot == null) return
      const how: How = staysSafe && (await isIn('safe')) ? { again: true, safe: true } : {}
      await driver.stop(active.id)
      await launch(active.id, how)
      for (let left = startMs; left > 0 && !(await isAnswering()); left -= lookMs) await delay(lookMs)
    },
    async stop(): Promise<void> {
      const { active } = store.get()
      clearTimeout(timer)
      if (active) await driver.stop(active.id)
      // A start may have failed meanwhile.
      clearTimeout(timer)
      failed = undefined
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await driver.close()
    },
  }
}
