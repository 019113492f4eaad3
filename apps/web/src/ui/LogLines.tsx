import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, History } from 'lucide-react'
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { formatExact } from '../lib/dates.ts'
import { plural } from '../lib/plural.ts'
import { Button } from './Button.tsx'
import { LogNodeMark, type LogNodes } from './LogNodeMark.tsx'
import { findLine, formatLogTime, type LogLine, logTime, segmentsOf } from './log-lines.ts'

const lineHeight = 20
/** A message may hold line breaks of its own. Unwrapped, they alone decide how high it is. */
const heightOf = ({ msg }: LogLine) => lineHeight * msg.replace(/\n$/, '').split('\n').length
/** Distance from the end that still counts as at the end. */
const slack = 24

/** The scrolling part of LogView. */
export function LogLines({
  lines,
  query,
  wrap,
  target,
  showSource,
  nodes,
  follow,
  onFollow,
  empty,
  onLoadEarlier,
  loadingEarlier,
  full,
}: {
  lines: LogLine[]
  query: string
  wrap: boolean
  /** Index of the line to bring into view. */
  target: number | undefined
  showSource: boolean
  nodes: LogNodes | undefined
  /** The newest line stays in view. */
  follow: boolean
  onFollow: (follow: boolean) => void
  empty: ReactNode
  onLoadEarlier: (() => void) | undefined
  loadingEarlier: boolean
  full: boolean
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const lastTop = useRef(0)
  // The newest line when the following stopped: what is after it is new.
  const [seen, setSeen] = useState<LogLine | undefined>(undefined)
  const last = useRef(lines.at(-1))
  last.current = lines.at(-1)
  useEffect(() => setSeen(follow ? undefined : last.current), [follow])
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heightOf(lines[index] as LogLine),
    overscan: 20,
  })
  // Lines put in before the first, or taken away there, must not move what one reads.
  const known = useRef(lines)
  useLayoutEffect(() => {
    const before = known.current
    known.current = lines
    const [old, now] = [before[0], lines[0]]
    if (!old || !now || old === now) return
    const heightTo = (all: LogLine[], first: LogLine) =>
      all.slice(0, Math.max(0, findLine(all, first))).reduce((sum, line) => sum + heightOf(line), 0)
    const top = heightTo(lines, old) - heightTo(before, now)
    if (top !== 0) scroller.current?.scrollBy({ top, behavior: 'instant' })
  }, [lines])
  useEffect(() => {
    virtualizer.measure()
  }, [wrap, virtualizer])
  const height = virtualizer.getTotalSize()
  useLayoutEffect(() => {
    const box = scroller.current
    if (!follow || !box) return
    // Not by way of the virtualizer, which would go on for some frames against somebody who scrolls up.
    box.scrollTop = box.scrollHeight
    lastTop.current = box.scrollTop
  }, [follow, lines, wrap, height])
  useEffect(() => {
    if (target === undefined) return
    onFollow(false)
    virtualizer.scrollToIndex(target, { align: 'center' })
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the way to pause may be another function each time
  }, [target, virtualizer])

  const onScroll = () => {
    const box = scroller.current
    if (!box) return
    const up = box.scrollTop < lastTop.current - 1
    const down = box.scrollTop > lastTop.current
    lastTop.current = box.scrollTop
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < slack
    if (atEnd && down && !follow) onFollow(true)
    else if (up && !atEnd && follow) onFollow(false)
  }
  const fresh = follow || !seen ? 0 : lines.length - 1 - findLine(lines, seen)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        onScroll={onScroll}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must take the keyboard
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Log lines"
        className="mono h-120 min-h-0 flex-auto overflow-auto py-2 leading-5 -outline-offset-2 [overflow-anchor:none]"
      >
        {onLoadEarlier && (
          <div className="sticky left-0 flex h-9 justify-center font-sans">
            <Button
              variant="ghost"
              size="sm"
              icon={<History size={14} />}
              loading={loadingEarlier}
              onClick={onLoadEarlier}
            >
              Load earlier lines
            </Button>
          </div>
        )}
        {full && (
          <p className="sticky left-0 px-4 pb-2 text-center font-sans text-md text-muted">
            Older lines are in the download of the whole log.
          </p>
        )}
        {lines.length === 0 && <p className="px-4 font-sans text-base text-muted">{empty}</p>}
        <div className={cn('relative', wrap ? 'w-full' : 'w-max min-w-full')} style={{ height }}>
          <div style={{ transform: `translateY(${virtualizer.getVirtualItems()[0]?.start ?? 0}px)` }}>
            {virtualizer.getVirtualItems().map(({ index, key }) => (
              <div key={key} data-index={index} ref={wrap ? virtualizer.measureElement : undefined}>
                <Line
                  line={lines[index] as LogLine}
                  query={query}
                  wrap={wrap}
                  hit={index === target}
                  showSource={showSource}
                  nodes={nodes}
                />
              </div>
            ))}
          </div>
        </div>
      </div>
      {fresh > 0 && (
        <Button
          size="sm"
          icon={<ArrowDown size={14} />}
          className="absolute right-6 bottom-4 shadow-raised"
          onClick={() => onFollow(true)}
        >
          {plural(fresh, 'new line')}
        </Button>
      )}
    </div>
  )
}

const grounds: Record<string, string> = { warn: 'bg-warn-soft', error: 'bg-bad-soft', fatal: 'bg-bad-soft' }
const inks: Record<string, string> = { warn: 'text-warn-text', error: 'text-bad-text', fatal: 'text-bad-text' }

const Line = memo(function Line(props: {
  line: LogLine
  query: string
  wrap: boolean
  hit: boolean
  showSource: boolean
  nodes: LogNodes | undefined
}) {
  const { line, wrap, showSource, nodes } = props
  return (
    <div
      className={cn(
        'grid grid-cols-[88px_44px_minmax(0,1fr)] gap-3 px-4 sm:grid-cols-[100px_52px_minmax(0,1fr)]',
        grounds[line.level] ?? 'hover:bg-hover',
        props.hit && 'ring-1 ring-accent-text ring-inset',
      )}
    >
      <span className="num text-muted" title={formatExact(logTime(line.ts))}>
        {formatLogTime(line.ts)}
      </span>
      <span className={cn('truncate font-medium', inks[line.level] ?? 'text-muted')}>{line.level}</span>
      <span className={wrap ? 'break-words whitespace-pre-wrap' : 'whitespace-pre'}>
        {showSource && line.src && <span className="text-muted">[{line.src}] </span>}
        {line.node && nodes && <LogNodeMark node={line.node} nodes={nodes} />}
        {segmentsOf(line.msg, props.query).map((part) =>
          part.mark ? (
            <mark key={part.at} className={cn('rounded-[2px] bg-mark text-ink', part.style)}>
              {part.text}
            </mark>
          ) : (
            <span key={part.at} className={part.style || undefined}>
              {part.text}
            </span>
          ),
        )}
      </span>
    </div>
  )
})
