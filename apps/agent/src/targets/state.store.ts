import { DeviceAttempt } from '@app/contract/device-deployment'
import { writeWhole } from '@app/drivers/local'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { Refused, Target, TargetContents } from './target.ts'

const State = z.object({
  version: z.literal(1),
  /** Tells this installation from another with the same credentials. */
  agent: z.string(),
  /** Port and token by which Node-RED asks the agent; a Node-RED that outlives the agent goes on to use them. */
  port: z.number(),
  token: z.string(),
  active: z.optional(Target),
  /** The target being made ready. After a kill, its leftovers are removed. */
  candidate: z.optional(Target),
  /** Number of unfinished attempts at this candidate. */
  begun: z.optional(z.number()),
  refused: z.optional(Refused),
  /** The last attempt at a target, good or bad. */
  lastDeployment: z.optional(DeviceAttempt),
})
export type State = z.infer<typeof State>
type Changes = { [Name in keyof State]?: State[Name] | undefined }

/** The flows of a target as people changed them on this device. */
const Work = z.partial(z.pick(TargetContents, { flows: true, credentials: true }))
export type Work = z.infer<typeof Work>

export type StateStore = ReturnType<typeof openState>

/**
 * The knowledge of the agent, on disk: its state in one file, and a file for each target. Each is written whole (write,
 * fsync, rename), so a power cut leaves the former or the new one.
 */
export function openState(dir: string) {
  const file = join(dir, 'agent.json')
  const folder = join(dir, 'targets')
  const contentsOf = (id: string) => join(folder, `${id}.json`)
  const settingsOf = (id: string) => join(folder, `${id}.settings`)
  const workOf = (id: string) => join(folder, `${id}.work`)
  for (const path of [dir, folder]) mkdirSync(path, { recursive: true, mode: 0o700 })
  const listeners = new Set<() => void>()
  let state = read()

  function read(): State {
    try {
      return State.parse(JSON.parse(readFileSync(file, 'utf8')))
    } catch (error) {
      const fresh: State = {
        version: 1,
        agent: randomUUID(),
        port: 0,
        token: randomBytes(32).toString('base64url'),
      }
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fresh
      // A disk may damage a file. The flows are worth more than its other contents.
      renameSync(file, `${file}.damaged`)
      const active = newest()
      return active ? { ...fresh, active } : fresh
    }
  }

  /** The target written last, without its hash: the platform then tells whether it is still the right one. */
  function newest(): Target | undefined {
    const found = ids().flatMap((id) => {
      const contents = readContents(id)
      return contents ? [{ target: contents.target, at: statSync(contentsOf(id)).mtimeMs }] : []
    })
    const [last] = found.sort((one, other) => other.at - one.at)
    return last && { ...last.target, settings: null }
  }

  const ids = () => readdirSync(folder).flatMap((name) => /^([a-z0-9-]+)\.json$/.exec(name)?.[1] ?? [])

  function readContents(id: string): TargetContents | undefined {
    try {
      return { ...TargetContents.parse(JSON.parse(readFileSync(contentsOf(id), 'utf8'))), ...readWork(id) }
    } catch {
      return undefined
    }
  }

  function readWork(id: string): Work {
    try {
      return Work.parse(JSON.parse(readFileSync(workOf(id), 'utf8')))
    } catch {
      return {}
    }
  }

  const changed = (changes: Changes) =>
    Object.fromEntries(Object.entries({ ...state, ...changes }).filter(([, value]) => value !== undefined)) as State
  function accept(next: State): void {
    state = next
    for (const listener of listeners) listener()
  }

  return {
    get: (): State => state,
    /** Returns when the change is on disk. What is undefined is removed. */
    change(changes: Changes): void {
      const next = changed(changes)
      writeWhole(file, JSON.stringify(next))
      accept(next)
    },
    /** As `change`; but where the disk is full, the change holds until the agent ends. */
    note(changes: Changes): void {
      const next = changed(changes)
      try {
        writeWhole(file, JSON.stringify(next))
      } catch {
        // The platform is to learn of it all the same.
      }
      accept(next)
    },
    /** Tells of each change until the returned function is called. */
    onChange(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    /** With the flows that people have deployed in its editor since. */
    contents: readContents,
    /** Keeps flows, and their credentials where those changed, that people deployed on this device. */
    putWork: (id: string, work: Work): void => writeWhole(workOf(id), JSON.stringify({ ...readWork(id), ...work })),
    putContents: (contents: TargetContents): void =>
      writeWhole(contentsOf(contents.target.id), JSON.stringify(contents)),
    /** Ids of all targets on disk. */
    ids,
    drop(id: string): void {
      for (const path of [contentsOf(id), settingsOf(id), workOf(id)]) rmSync(path, { force: true })
    },
    /** Node-RED's own settings of a target. */
    runtimeSettings(id: string): object {
      try {
        return JSON.parse(readFileSync(settingsOf(id), 'utf8')) as object
      } catch {
        return {}
      }
    },
    putRuntimeSettings: (id: string, settings: unknown): void => writeWhole(settingsOf(id), JSON.stringify(settings)),
  }
}
