import { intervals, limits, toastDurations } from '@app/contract/constants'
import type { LogEntry } from '@app/contract'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, ApiError, hasStatus, NetworkError, reasonOf } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { setOffline } from '../../lib/api-offline.ts'
import { toast } from '../../ui/toast.ts'

export interface LogTail {
  /** Oldest first; undefined until the first answer. */
  lines: LogEntry[] | undefined
  /** The runtime could not be asked the last time. */
  unreachable: boolean
  loadEarlier: (() => void) | undefined
  loadingEarlier: boolean
}

type Known = { lines: LogEntry[]; previous: string | undefined; next: string | undefined }

const firstPage = 500

/** A live log: the newest lines, then every 5 s what came since; earlier ones on request [NRLOG-07, NRLOG-12]. */
export function useLogTail(instanceId: string): LogTail {
  const client = useQueryClient()
  const [known, setKnown] = useState<Known>()
  const [unreachable, setUnreachable] = useState(false)
  const [loadingEarlier, setLoadingEarlier] = useState(false)

  useEffect(() => {
    const controller = new AbortController()
    let next: string | undefined
    let timer: ReturnType<typeof setTimeout>
    const ask = async () => {
      try {
        const page = await read(
          instanceId,
          { cursor: next, limit: next ? limits.pageMax : firstPage },
          controller.signal,
        )
        const first = next === undefined
        next = page.meta.next_cursor ?? next
        setUnreachable(false)
        setKnown((old) => ({
          lines: first || page.log.length > 0 ? [...(old?.lines ?? []), ...page.log] : (old?.lines ?? []),
          previous: first ? page.meta.previous_cursor : old?.previous,
          next,
        }))
      } catch (error) {
        if (controller.signal.aborted) return
        setUnreachable(hasStatus(error, 503))
        explain(client, error)
      }
      if (!controller.signal.aborted) timer = setTimeout(() => void ask(), intervals.logPoll)
    }
    void ask()
    return () => {
      controller.abort()
      clearTimeout(timer)
      setKnown(undefined)
    }
  }, [client, instanceId])

  const previous = known?.previous
  async function loadEarlier() {
    setLoadingEarlier(true)
    try {
      const page = await read(instanceId, { cursor: previous, limit: limits.pageMax })
      setKnown((old) => old && { ...old, lines: [...page.log, ...old.lines], previous: page.meta.previous_cursor })
    } catch (error) {
      explain(client, error)
    } finally {
      setLoadingEarlier(false)
    }
  }
  return {
    lines: known?.lines,
    unreachable,
    loadEarlier: previous === undefined ? undefined : () => void loadEarlier(),
    loadingEarlier,
  }
}

type Page = { cursor: string | undefined; limit: number }

function read(instanceId: string, { cursor, limit }: Page, signal?: AbortSignal) {
  return api.call('instance.logs', {
    params: { instanceId },
    query: { limit, ...(cursor === undefined ? {} : { cursor }) },
    ...(signal ? { signal } : {}),
  })
}

/** What a failed read means to the person who watches [NRLOG-09, NRLOG-10, NRLOG-11]. */
function explain(client: QueryClient, error: unknown): void {
  if (error instanceof NetworkError) return setOffline(true)
  if (hasStatus(error, 401)) return void client.invalidateQueries({ queryKey: keys.user })
  if (hasStatus(error, 500) || (error instanceof ApiError && error.code === 'project_suspended')) return
  const text = hasStatus(error, 503) ? unreachableText : `Could not get Node-RED logs: ${reasonOf(error)}`
  toast.warning(text, { countdown: toastDurations.logsUnavailable })
}

export const unreachableText = 'The Node-RED instance cannot be reached at this time. Please wait...'
