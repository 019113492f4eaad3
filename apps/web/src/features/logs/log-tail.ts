import { intervals, limits } from '@app/contract/constants'
import type { LogEntry, LogLevel } from '@app/contract'
import { ApiError, hasStatus, NetworkError, reasonOf } from '../../lib/api.ts'

/** The part of a log in memory; older lines give way to new ones, and are read again when needed. */
export const linesMax = 100_000
const firstPage = 500
/** A search goes on by itself until it has found so many lines or was everywhere. */
const foundEnough = 200

export interface LogFilter {
  level?: LogLevel | undefined
  search?: string | undefined
  /** Id of a node, tab or subflow. */
  node?: string | undefined
}
export interface LogPage {
  log: LogEntry[]
  meta: { previous_cursor?: string | undefined; next_cursor?: string | undefined }
}
export interface LogTailState {
  /** Oldest first; undefined until the first answer. */
  lines: LogEntry[] | undefined
  /** Leads to older lines. */
  previous: string | undefined
  /** The runtime could not be asked the last time. */
  unreachable: boolean
  /** Older lines are on their way. */
  loadingEarlier: boolean
}
export interface LogTailOptions {
  filter: LogFilter
  read(query: { cursor?: string; limit: number }, signal: AbortSignal): Promise<LogPage>
  onState(state: LogTailState): void
  onError(error: unknown): void
}

/** A live log: the newest lines, then every 5 s what came since; earlier ones on request [NRLOG-07, NRLOG-12]. */
export function createLogTail({ filter, read, onState, onError }: LogTailOptions) {
  const controller = new AbortController()
  const { signal } = controller
  const isFiltered = filter.level !== undefined || Boolean(filter.search) || filter.node !== undefined
  let state: LogTailState = { lines: undefined, previous: undefined, unreachable: false, loadingEarlier: false }
  let next: string | undefined
  let timer: ReturnType<typeof setTimeout>

  function become(change: Partial<LogTailState>): void {
    if (signal.aborted) return
    state = { ...state, ...change }
    onState(state)
  }

  async function ask(): Promise<void> {
    const isFirst = next === undefined
    try {
      const page = await read(isFirst ? { limit: firstPage } : { cursor: next!, limit: limits.pageMax }, signal)
      next = page.meta.next_cursor ?? next
      const { lines = [] } = state
      const all = isFirst ? page.log : page.log.length > 0 ? [...lines, ...page.log] : lines
      const kept = all.length > linesMax ? all.slice(-linesMax) : all
      const previous = isFirst ? page.meta.previous_cursor : kept === all ? state.previous : `-${kept[0]!.ts}`
      become({ lines: kept, previous, unreachable: false })
      if (isFirst) await searchOn()
    } catch (error) {
      if (signal.aborted) return
      become({ unreachable: hasStatus(error, 503) })
      onError(error)
    }
    if (!signal.aborted) timer = setTimeout(() => void ask(), intervals.logPoll)
  }

  async function earlier(): Promise<void> {
    const page = await read({ cursor: state.previous!, limit: limits.pageMax }, signal)
    become({ lines: [...page.log, ...(state.lines ?? [])], previous: page.meta.previous_cursor })
  }

  /** A filter looks through a part of the log at a time. */
  async function searchOn(): Promise<void> {
    if (!isFiltered) return
    const enough = (state.lines?.length ?? 0) + foundEnough
    become({ loadingEarlier: true })
    try {
      while (state.previous !== undefined && (state.lines?.length ?? 0) < enough && !signal.aborted) await earlier()
    } finally {
      become({ loadingEarlier: false })
    }
  }

  return {
    start: (): void => void ask(),
    /** Puts a page of older lines before those that are there. */
    async loadEarlier(): Promise<void> {
      if (state.loadingEarlier || !mayLoadEarlier(state)) return
      become({ loadingEarlier: true })
      try {
        await earlier()
        await searchOn()
      } catch (error) {
        if (!signal.aborted) onError(error)
      } finally {
        become({ loadingEarlier: false })
      }
    },
    stop(): void {
      controller.abort()
      clearTimeout(timer)
    },
  }
}

/** There are older lines, and room for them. */
export const mayLoadEarlier = ({ lines, previous }: LogTailState): boolean =>
  previous !== undefined && (lines?.length ?? 0) + limits.pageMax <= linesMax

/** Returns the message for a failed read, if any [NRLOG-09, NRLOG-10, NRLOG-11]. */
export function warningOf(error: unknown): string | undefined {
  if (error instanceof NetworkError || hasStatus(error, 401) || hasStatus(error, 500)) return undefined
  if (error instanceof ApiError && error.code === 'project_suspended') return undefined
  return hasStatus(error, 503) ? unreachableText : `Could not get Node-RED logs: ${reasonOf(error)}`
}

export const unreachableText = 'The Node-RED instance cannot be reached at this time. Please wait...'
