import { type LogEnd, logEnds } from '@app/contract/constants'
import type { LogLine } from '../../ui/LogView.tsx'

/** Older lines give way to new ones. */
const linesMax = 20_000
/** From then on it is said that the agent does not answer. */
export const answerMs = 10_000
const againMs = { first: 1_000, most: 15_000 }

export interface DeviceLogState {
  /** Oldest first. */
  lines: LogLine[]
  /** `silent`: the agent is connected and has sent nothing. `lost`: the platform does not answer. */
  state: 'opening' | 'live' | 'silent' | 'lost' | LogEnd
}

export interface DeviceLogOptions {
  open(): WebSocket
  onState(state: DeviceLogState): void
}

const keyOf = ({ ts, level, msg }: LogLine) => `${ts} ${level} ${msg}`
const endOf = (code: number) => (Object.keys(logEnds) as LogEnd[]).find((end) => logEnds[end] === code)

/** The log of a device as its agent sends it, opened again whenever it ends, until the returned function is called. */
export function followDeviceLog({ open, onState }: DeviceLogOptions): () => void {
  let now: DeviceLogState = { lines: [], state: 'opening' }
  let socket: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout>
  let wait = againMs.first
  let isOver = false

  function become(change: Partial<DeviceLogState>): void {
    if (isOver) return
    now = { ...now, ...change }
    onState(now)
  }

  function take(message: LogLine | LogLine[], isFirst: boolean): void {
    // Opened again, it begins with lines that are there already.
    const known = isFirst && now.lines.length > 0 ? new Set(now.lines.map(keyOf)) : undefined
    const lines = [message].flat().filter((line) => !known?.has(keyOf(line)))
    become({ state: 'live', lines: lines.length > 0 ? [...now.lines, ...lines].slice(-linesMax) : now.lines })
  }

  function connect(): void {
    socket = open()
    let isFirst = true
    clearTimeout(timer)
    socket.addEventListener('open', () => {
      timer = setTimeout(() => become({ state: 'silent' }), answerMs)
    })
    socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
      clearTimeout(timer)
      wait = againMs.first
      take(JSON.parse(data) as LogLine | LogLine[], isFirst)
      isFirst = false
    })
    socket.addEventListener('close', ({ code }) => {
      clearTimeout(timer)
      const end = endOf(code)
      become({ state: end === 'again' ? 'opening' : (end ?? 'lost') })
      if (isOver || end === 'refused') return
      timer = setTimeout(connect, wait)
      wait = Math.min(wait * 2, againMs.most)
    })
  }
  connect()

  return () => {
    isOver = true
    clearTimeout(timer)
    socket?.close()
  }
}
