import type { Driver } from '@app/drivers'
import { writeWhole } from '@app/drivers/local'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../agent.log.ts'
import type { StateStore } from '../targets/state.store.ts'
import type { Line } from './line.ts'

/** The lines that are sent first, and that are kept of targets that were removed. */
const linesMost = 1_000
const charactersMost = 512 * 1024

interface HistoryDependencies {
  dir: string
  driver: Pick<Driver, 'logs' | 'followLogs'>
  store: StateStore
  log: Log
}

export type History = ReturnType<typeof createHistory>

/** The log of this device: the lines of the agent and those of each target, in their order. */
export function createHistory({ dir, driver, store, log }: HistoryDependencies) {
  const file = join(dir, 'log.before.ndjson')
  const ids = () => {
    const { active, candidate } = store.get()
    return [active, candidate].flatMap((one) => (one && one.snapshot !== null ? [one.id] : []))
  }
  const linesOf = async (id: string): Promise<Line[]> => (await driver.logs(id, { limit: linesMost })).map(plain)

  /** The lines of targets that are gone. */
  function before(): Line[] {
    try {
      return readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
    } catch {
      return []
    }
  }

  return {
    /** Keeps the last lines of a target that is about to be removed, since they tell why. */
    async keep(id: string): Promise<void> {
      try {
        const lines = newest([...before(), ...(await linesOf(id))])
        writeWhole(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      } catch (error) {
        // A full disk must not hold up the next target.
        log.warn(`The log of the former target was not kept: ${(error as Error).message}`)
      }
    },

    /** The newest lines, oldest first. */
    async lines(): Promise<Line[]> {
      const ofTargets = await Promise.all(ids().map(async (id) => linesOf(id).catch(() => [])))
      return newest([...before(), ...ofTargets.flat(), ...log.lines(linesMost)])
    },

    /** Tells of each new line until the returned function is called. */
    follow(listener: (line: Line) => void): () => void {
      const followed = new Map<string, () => void>()
      const look = () => {
        const now = new Set(ids())
        for (const [id, end] of followed) {
          if (now.has(id)) continue
          end()
          followed.delete(id)
        }
        for (const id of now)
          if (!followed.has(id))
            followed.set(
              id,
              driver.followLogs(id, (line) => listener(plain(line))),
            )
      }
      look()
      const ends = [log.follow(listener), store.onChange(look)]
      return () => {
        for (const end of [...ends, ...followed.values()]) end()
      }
    },
  }
}

const plain = ({ ts, level, msg, node }: Line): Line => ({ ts, level, msg, ...(node && { node }) })

function newest(lines: Line[]): Line[] {
  const sorted = lines.toSorted((one, other) => (one.ts < other.ts ? -1 : one.ts > other.ts ? 1 : 0)).slice(-linesMost)
  let characters = 0
  const first = sorted.findLastIndex(({ msg }) => (characters += msg.length) > charactersMost)
  return sorted.slice(first + 1)
}
