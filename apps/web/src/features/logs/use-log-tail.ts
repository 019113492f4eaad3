import { toastDurations } from '@app/contract/constants'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { api, hasStatus, NetworkError } from '../../lib/api.ts'
import { keys } from '../../lib/api-keys.ts'
import { setOffline } from '../../lib/api-offline.ts'
import { toast } from '../../ui/toast.ts'
import { createLogTail, type LogFilter, type LogTailState, mayLoadEarlier, warningOf } from './log-tail.ts'

/** Shows why the log could not be read, where there is something to say [NRLOG-09]. */
export function tellLogFailure(error: unknown): void {
  const warning = warningOf(error)
  if (warning) toast.warning(warning, { countdown: toastDurations.logsUnavailable })
}

/** The live log of an instance as far as the filter lets it through; another filter begins anew. */
export function useLogTail(instanceId: string, { level, search, node }: LogFilter) {
  const client = useQueryClient()
  const [state, setState] = useState<LogTailState>()
  const tail = useRef<ReturnType<typeof createLogTail>>(undefined)
  useEffect(() => {
    const filter = { ...(level ? { level } : {}), ...(search ? { search } : {}), ...(node ? { node } : {}) }
    const current = createLogTail({
      filter,
      read: (query, signal) =>
        api.call('instance.logs', { params: { instanceId }, query: { ...query, ...filter }, signal }),
      onState: setState,
      onError(error) {
        if (error instanceof NetworkError) return setOffline(true)
        if (hasStatus(error, 401)) return void client.invalidateQueries({ queryKey: keys.user })
        tellLogFailure(error)
      },
    })
    tail.current = current
    current.start()
    return () => {
      current.stop()
      setState(undefined)
    }
  }, [client, instanceId, level, search, node])
  return {
    lines: state?.lines,
    unreachable: state?.unreachable ?? false,
    loadingEarlier: state?.loadingEarlier ?? false,
    loadEarlier: state && mayLoadEarlier(state) ? () => void tail.current?.loadEarlier() : undefined,
    /** There are older lines, and no room for them here. */
    full: state?.previous !== undefined && !mayLoadEarlier(state),
  }
}
