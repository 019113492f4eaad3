import { logLevels } from '@app/contract/constants'
import type { LogFilter } from '../ui/LogView.tsx'
import { useQueryTexts } from './use-query-state.ts'

/** The filter of a log stands in the address, so that a link shows a colleague the same lines. */
export function useLogFilter(): [LogFilter, (filter: LogFilter) => void] {
  const [{ q, level, only }, setTexts] = useQueryTexts(['q', 'level', 'only'])
  const known = logLevels.find((each) => each === level)
  return [
    { search: q, level: known ?? 'all', only: only === 'matches' },
    (next) =>
      setTexts({ q: next.search, level: next.level === 'all' ? '' : next.level, only: next.only ? 'matches' : '' }),
  ]
}
