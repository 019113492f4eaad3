import { ChevronDown, ChevronUp, Copy, Download, TextWrap } from 'lucide-react'
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { plural } from '../lib/plural.ts'
import { Button } from './Button.tsx'
import { copyText } from './CopyButton.tsx'
import { IconButton } from './IconButton.tsx'
import { SearchInput } from './Input.tsx'
import { LogLines } from './LogLines.tsx'
import { filterLevel, findMatches, type LogLevel, type LogLine, toText } from './log-lines.ts'
import { Segmented } from './Segmented.tsx'

export type { LogLine } from './log-lines.ts'

const levels = [
  { value: 'all', label: 'All' },
  { value: 'info', label: 'Info' },
  { value: 'warn', label: 'Warn' },
  { value: 'error', label: 'Error' },
]

/**
 * A live log. Follows the end until one scrolls up; then says how many lines came meanwhile. Draws only what is in
 * view, so 100,000 lines cost what 50 do.
 */
export function LogView({
  lines,
  name,
  tools,
  showSource,
  empty = 'No lines yet.',
  onLoadEarlier,
  loadingEarlier,
}: {
  /** Oldest first. Give a new array when lines are added. */
  lines: LogLine[]
  /** Name of the downloaded file, without '.log'. */
  name: string
  /** More filters for the toolbar: a replica, an instance. */
  tools?: ReactNode
  /** Puts '[src]' before each message. */
  showSource?: boolean
  empty?: ReactNode
  onLoadEarlier?: (() => void) | undefined
  loadingEarlier?: boolean
}) {
  const [level, setLevel] = useState<LogLevel>('all')
  const [search, setSearch] = useState('')
  const [wrap, setWrap] = useState(false)
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
            setSearch(text)
            setCurrent(-1)
          }}
          onKeyDown={(event) => event.key === 'Enter' && step(event.shiftKey ? -1 : 1)}
          note={note && <span aria-live="polite">{note}</span>}
          className="min-w-0 flex-[1_1_220px] sm:max-w-70"
        />
        {query !== '' && (
          <span className="flex">
            <IconButton size="sm" label="Previous match" disabled={matches.length === 0} onClick={() => step(-1)}>
              <ChevronUp size={16} />
            </IconButton>
            <IconButton size="sm" label="Next match" disabled={matches.length === 0} onClick={() => step(1)}>
              <ChevronDown size={16} />
            </IconButton>
          </span>
        )}
        <Segmented label="Level" value={level} onChange={(value) => setLevel(value as LogLevel)} options={levels} />
        {tools}
        <div className="ml-auto flex items-center gap-2">
          <span className="num text-md text-muted max-lg:hidden">{plural(shown.length, 'line')}</span>
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
          <IconButton size="sm" label="Download log" onClick={() => download(`${name}.log`, toText(shown))}>
            <Download size={16} />
          </IconButton>
        </div>
      </div>
      <LogLines
        key={level}
        lines={shown}
        query={query}
        wrap={wrap}
        target={matches[current]}
        showSource={showSource ?? false}
        empty={lines.length > 0 ? 'No lines at this level.' : empty}
        onLoadEarlier={onLoadEarlier}
        loadingEarlier={loadingEarlier ?? false}
      />
    </section>
  )
}

function download(file: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  Object.assign(document.createElement('a'), { href: url, download: file }).click()
  URL.revokeObjectURL(url)
}
