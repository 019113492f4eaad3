import type { History } from './history.ts'
import type { Line } from './line.ts'

/** Lines and characters of one message. */
const most = { lines: 200, characters: 64 * 1024 }
/** Lines that may wait for a slow connection; then the oldest are left out, which is said. */
const waitingMost = 2_000

interface StreamDependencies {
  history: Pick<History, 'lines' | 'follow'>
  /** @throws Error without a connection. */
  publish(lines: readonly Line[]): Promise<void>
}

export type LogStream = ReturnType<typeof createLogStream>

const keyOf = ({ ts, msg }: Line) => `${ts} ${msg}`

/** The lines that the platform has not got, where its last is of the time `since`. */
function unsent(lines: Line[], since: unknown): Line[] {
  if (typeof since !== 'string') return lines
  const now = `${Date.now()}9999`
  // This clock was put back since: what is later than now is from before that, and all else may be new.
  return since > now ? lines.filter(({ ts }) => ts <= now) : lines.filter(({ ts }) => ts > since)
}

/** Sends the log while the platform asks for it: what is on disk first, then each line as it comes. */
export function createLogStream({ history, publish }: StreamDependencies) {
  let end: (() => void) | undefined

  function begin(since: unknown): () => void {
    let isOver = false
    let waiting: Line[] = []
    let leftOut = 0
    /** Lines of the history, some of which are told once more. */
    let known: Set<string> | undefined
    let isSending = false

    function next(): Line[] {
      let characters = 0
      const at = waiting.findIndex(({ msg }, n) => n === most.lines || (characters += msg.length) > most.characters)
      const lines = waiting.splice(0, at === -1 ? waiting.length : Math.max(1, at))
      if (leftOut === 0) return lines
      const note = {
        ts: lines[0]!.ts,
        level: 'warn',
        msg: `${leftOut === 1 ? '1 line' : `${leftOut} lines`} left out: the connection is too slow`,
      }
      leftOut = 0
      return [note, ...lines]
    }

    async function send(): Promise<void> {
      if (isSending || !known) return
      isSending = true
      try {
        while (waiting.length > 0 && !isOver) await publish(next())
      } catch {
        // The platform asks again once the connection is back.
        stop()
      }
      isSending = false
    }

    const unfollow = history.follow((line) => {
      if (known?.has(keyOf(line))) return
      waiting.push(line)
      if (waiting.length > waitingMost) {
        waiting.shift()
        leftOut += 1
      }
      void send()
    })

    async function tellHistory(): Promise<void> {
      const all = await history.lines()
      const keys = new Set(all.map(keyOf))
      waiting = [...unsent(all, since), ...waiting.filter((line) => !keys.has(keyOf(line)))]
      known = keys
      // An answer, also where there is nothing to tell.
      if (waiting.length === 0) await publish([])
      await send()
    }
    tellHistory().catch(stop)
    return () => {
      isOver = true
      unfollow()
    }
  }

  function stop(): void {
    end?.()
    end = undefined
  }

  return {
    /** `since`: the last line that the platform has, from before the connection was lost. */
    start(since: unknown): void {
      end ??= begin(since)
    },
    stop,
  }
}
