import { nodejsOfNodeRed } from '@app/contract/device-nodejs'
import type { Driver, InstanceSpec, InstanceStatus } from '@app/drivers'
import { createLocalDriver } from '@app/drivers/local'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../agent.log.ts'
import type { Memory } from '../control/memory.ts'
import type { StateStore } from '../targets/state.store.ts'
import type { LocalPlatform } from './local.platform.ts'

/** The process that the platform runs for an instance; a device runs the same. */
const runtimeEntry = fileURLToPath(new URL('../../../instance-runtime/dist/main.js', import.meta.url))
/** The root of a clone or of the installed package: a Node-RED came with it. */
const shipped = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

/** The clock of a device may be a year off; no restart waits longer than this. */
const longestPauseMs = 400_000

export type Runtime = ReturnType<typeof createRuntime>

export interface RuntimeOptions {
  dir: string
  store: StateStore
  log: Log
  platform: LocalPlatform
  credentialSecret: string
  memory: Pick<Memory, 'next'>
}

/** Node-RED on this device: what starts it, and starts it again when it crashes. */
export function createRuntime({ dir, store, log, platform, credentialSecret, memory }: RuntimeOptions) {
  const filesDir = join(dir, 'files')
  mkdirSync(filesDir, { recursive: true, mode: 0o700 })
  const driver: Driver = createLocalDriver({ home: join(dir, 'nodered'), runtimeEntry, shipped })
  let timer: NodeJS.Timeout | undefined
  let isSuspended = false

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

  /** Starts the active target again after a crash, as the driver says when and how. */
  function again(id: string, { state, restart, reason }: InstanceStatus): void {
    if (isSuspended || id !== store.get().active?.id || state !== 'crashed' || !restart) return
    const { at, safe, crashes } = restart
    const pause = Math.min(Math.max(0, at - Date.now()), longestPauseMs)
    log.error(
      `Node-RED crashed: ${reason}. Crash ${crashes}, next start in ${Math.round(pause / 1000)} s${safe ? ' without flows' : ''}`,
    )
    clearTimeout(timer)
    timer = setTimeout(() => {
      if (id === store.get().active?.id)
        driver.start({ ...specOf(id), again: true, safe }).catch((error: Error) => log.error(error.message))
    }, pause)
  }
  driver.watch(again)

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
      if (status.state === 'crashed') return again(active.id, status)
      if (status.state === 'stopped') await driver.start(specOf(active.id))
    },

    /** The active target is about to give way: started again after a crash, it would act beside the new one. */
    suspendRestarts(): void {
      isSuspended = true
      clearTimeout(timer)
    },
    /** Whatever is the active target now is started again after a crash, also after one in the meantime. */
    async resumeRestarts(): Promise<void> {
      isSuspended = false
      const { active } = store.get()
      if (active?.snapshot != null) again(active.id, await driver.status(active.id))
    },

    /** Starts the active target unless it runs. */
    async start(): Promise<void> {
      clearTimeout(timer)
      const { active } = store.get()
      if (active) await driver.start(specOf(active.id))
    },
    async isRunning(): Promise<boolean> {
      const { active } = store.get()
      return active !== undefined && (await driver.status(active.id)).state === 'running'
    },
    async stop(): Promise<void> {
      clearTimeout(timer)
      const { active } = store.get()
      if (active) await driver.stop(active.id)
    },
    async close(): Promise<void> {
      clearTimeout(timer)
      await driver.close()
    },
  }
}
