import { ChevronDown, ChevronUp, Copy, Download, Pause, Play, TextWrap } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { plural } from '../lib/plural.ts'
import { Button } from './Button.tsx'
import { copyText } from './CopyButton.tsx'
import { IconButton } from './IconButton.tsx'
import { SearchInput } from './Input.tsx'
import { LogLines } from './LogLines.tsx'
import type { LogNodes } from './LogNodeMark.tsx'
import { filterLevel, findMatches, type LogLevel, type LogLine, toText } from './log-lines.ts'
import { Menu, type MenuEntry } from './Menu.tsx'
import { Segmented } from './Segmented.tsx'

export type { LogNodes } from './LogNodeMark.tsx'
export type { LogLine } from './log-lines.ts'

const levels = [
  { value: 'all', label: 'All' },
  { value: 'info', label: 'Info' },
  { value: 'warn', label: 'Warn' },
  { value: 'error', label: 'Error' },
]

export interface LogFilter {
  search: string
  level: LogLevel
  /** Shows the lines that match alone, and those of the whole log. */
  only: boolean
}
export type DownloadFormat = 'text' | 'ndjson'

/**
 * A live log. Follows the end until one scrolls up; then says how many lines came meanwhile. Draws only what is in
 * view, so 100,000 lines cost what 50 do.
 */
export function LogView({
  lines,
  filter,
  onFilter,
  onDownload,
  tools,
  showSource,
  nodes,
  empty = 'No lines yet.',
  onLoadEarlier,
  loadingEarlier,
  loading,
  full,
}: {
  /** Oldest first. Give a new array when lines are added. */
  lines: LogLine[]
  filter: LogFilter
  onFilter: (filter: LogFilter) => void
  /** Fetches the whole log, or what the filter leaves of it, as a file. */
  onDownload: (format: DownloadFormat, isWhole: boolean) => void
  /** More filters for the toolbar: a replica, an instance. */
  tools?: ReactNode
  /** Puts '[src]' before each message. */
  showSource?: boolean
  /** Marks the lines of nodes with their tab, which leads to them. */
  nodes?: LogNodes
  empty?: ReactNode
  onLoadEarlier?: (() => void) | undefined
  loadingEarlier?: boolean
  /** The lines for the filter are on their way. */
  loading?: boolean
  /** There are older lines than are kept here. */
  full?: boolean
}) {
  const { search, level, only } = filter
  const [follow, setFollow] = useState(true)
  // On a phone a line that goes on to the right is not read.
  const [wrap, setWrap] = useState(() => matchMedia('(max-width: 639px)').matches)
  const [current, setCurrent] = useState(-1)
  const query = useDeferredValue(search)
  const shown = useMemo(() => filterLevel(lines, level), [lines, level])
  const matches = useMemo(() => findMatches(shown, query), [shown, query])
  const step = (by: number) => {
    if (matches.length > 0)
      setCurrent((at) => (at < 0 && by < 0 ? matches.length - 1 : (at + by + matches.length) % matches.length))
  }
  const note =
    query === ''
      ? undefined
      : current >= 0 && current < matches.length
        ? `${(current + 1).toLocaleString()} of ${matches.length.toLocaleString()}`
        : plural(matches.length, 'match', 'matches')
  return (
    <section aria-label="Log" className="flex min-h-80 flex-1 flex-col overflow-hidden rounded-lg border bg-panel">
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2.5 max-sm:px-3">
        <SearchInput
          label="Search log"
          value={search}
          onChange={(text) => {
            onFilter({ ...filter, search: text })
            setCurrent(-1)
          }}
          onKeyDown={(event) => event.key === 'Enter' && step(event.shiftKey ? -1 : 1)}
          note={note && <span aria-live="polite">{note}</span>}
          className="min-w-0 flex-[1_1_220px] sm:max-w-70"
        />
        {search !== '' && (
          <Button
            size="sm"
            aria-pressed={only}
            onClick={() => onFilter({ ...filter, only: !only })}
            className="aria-pressed:bg-selected"
          >
            Only matches
          </Button>
        )}
        {query !== '' && !only && (
          <span className="flex">
            <IconButton size="sm" label="Previous match" disabled={matches.length === 0} onClick={() => step(-1)}>
              <ChevronUp size={16} />
            </IconButton>
            <IconButton size="sm" label="Next match" disabled={matches.length === 0} onClick={() => step(1)}>
              <ChevronDown size={16} />
            </IconButton>
          </span>
        )}
        <Segmented
          label="Level"
          value={level}
          onChange={(value) => onFilter({ ...filter, level: value as LogLevel })}
          options={levels}
        />
        {tools}
        <div className="ml-auto flex items-center gap-2">
          <span className="num text-md text-muted max-lg:hidden">{plural(shown.length, 'line')}</span>
          <IconButton size="sm" label={follow ? 'Pause' : 'Follow'} onClick={() => setFollow(!follow)}>
            {follow ? <Pause size={16} /> : <Play size={16} />}
          </IconButton>
          <Button
            size="sm"
            aria-pressed={wrap}
            icon={<TextWrap size={16} />}
            onClick={() => setWrap(!wrap)}
            className="aria-pressed:bg-selected"
          >
            Wrap
          </Button>
          <IconButton size="sm" label="Copy lines" onClick={() => void copyText(toText(shown))}>
            <Copy size={16} />
          </IconButton>
          <Menu
            label="Download log"
            items={downloads(onDownload, level !== 'all' || (only && search !== ''))}
            trigger={
              <IconButton size="sm" label="Download log">
                <Download size={16} />
              </IconButton>
            }
          />
        </div>
      </div>
      <LogLines
        // Other lines, another place to look at.
        key={`${level} ${only ? query : ''}`}
        lines={shown}
        query={query}
        wrap={wrap}
        target={matches[current]}
        showSource={showSource ?? false}
        nodes={nodes}
        follow={follow}
        onFollow={setFollow}
        empty={emptyText({ loading: loading || loadingEarlier, filter, empty })}
        full={full ?? false}
        onLoadEarlier={onLoadEarlier}
        loadingEarlier={loadingEarlier ?? false}
      />
    </section>
  )
}

function emptyText(given: { loading: boolean | undefined; filter: LogFilter; empty: ReactNode }): ReactNode {
  const { search, only, level } = given.filter
  if (given.loading) return 'Searching the log...'
  if (only && search !== '') return 'No line matches.'
  return level === 'all' ? given.empty : 'No lines at this level.'
}

function downloads(onDownload: (format: DownloadFormat, isWhole: boolean) => void, isFiltered: boolean): MenuEntry[] {
  const both = (isWhole: boolean) => [
    { label: 'As text', onSelect: () => onDownload('text', isWhole) },
    { label: 'As JSON lines', onSelect: () => onDownload('ndjson', isWhole) },
  ]
  if (!isFiltered) return [{ heading: 'The whole log' }, ...both(true)]
  return [
    { heading: 'Filtered lines' },
    ...both(false),
    { heading: 'The whole log' },
    { label: 'Whole, as text', onSelect: () => onDownload('text', true) },
    { label: 'Whole, as JSON lines', onSelect: () => onDownload('ndjson', true) },
  ]
}
