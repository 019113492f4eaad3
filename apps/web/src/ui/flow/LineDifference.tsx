import { useMemo, useState } from 'react'
import { cn } from '../../lib/cn.ts'
import { plural } from '../../lib/plural.ts'
import {
  type DifferentLine,
  lineDifference,
  type LinePart,
  type LinePiece,
  withGaps,
  wordDifferences,
} from './line-difference.ts'

const looks = { same: '', added: 'bg-ok-soft', removed: 'bg-bad-soft' }
const marks = { same: '', added: 'bg-ok-line', removed: 'bg-bad-line' }
const signs = { same: ' ', added: '+', removed: '-' }
const words = { same: '', added: 'added: ', removed: 'removed: ' }

/** More lines at once would hold the page up. */
const atOnce = 500

/** A text in two versions, line by line; unchanged lines are left out until they are asked for. */
export function LineDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const parts = useMemo(() => withGaps(lineDifference(before, after)), [before, after])
  const [open, setOpen] = useState<ReadonlySet<LinePart>>(new Set())
  const [most, setMost] = useState(atOnce)
  const all = useMemo(
    () => parts.flatMap((part): readonly LinePart[] => (part.kind === 'gap' && open.has(part) ? part.lines : [part])),
    [parts, open],
  )
  const shown = useMemo(() => all.slice(0, most), [all, most])
  const pieces = useMemo(() => wordDifferences(shown), [shown])
  const numbered = before.includes('\n') || after.includes('\n')
  return (
    <div
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="mono max-h-100 overflow-auto rounded-md border bg-page py-1 text-sm"
    >
      {shown.map((part, at) =>
        part.kind === 'gap' ? (
          <button
            // oxlint-disable-next-line react/no-array-index-key -- lines have no name but their place
            key={at}
            type="button"
            className="block w-full px-2 py-0.5 text-left text-muted hover:bg-hover hover:text-ink"
            onClick={() => setOpen(new Set([...open, part]))}
          >
            ⋯ {plural(part.lines.length, 'unchanged line')}
          </button>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no name but their place
          <Line key={at} line={part} pieces={pieces.get(part)} numbered={numbered} />
        ),
      )}
      {all.length > shown.length && (
        <button
          type="button"
          className="block w-full px-2 py-1 text-left text-muted hover:bg-hover hover:text-ink"
          onClick={() => setMost(most + 2 * atOnce)}
        >
          Show {plural(Math.min(all.length - shown.length, 2 * atOnce), 'more line')} of{' '}
          {(all.length - shown.length).toLocaleString()}
        </button>
      )}
    </div>
  )
}

function Line({ line, pieces, numbered }: { line: DifferentLine; pieces: LinePiece[] | undefined; numbered: boolean }) {
  const { kind, text } = line
  return (
    <div className={cn('flex min-w-full px-2', looks[kind])}>
      {numbered && (
        <span aria-hidden className="num flex flex-none text-muted select-none">
          <span className="w-9 pr-2 text-right max-sm:hidden">{line.old}</span>
          <span className="w-9 pr-2 text-right">{line.new ?? <span className="sm:hidden">{line.old}</span>}</span>
        </span>
      )}
      <span aria-hidden className="w-4 flex-none select-none">
        {signs[kind]}
      </span>
      <span className="min-w-0 flex-1 break-words whitespace-pre-wrap">
        <span className="sr-only">{words[kind]}</span>
        {pieces
          ? pieces.map((piece, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- pieces have no name but their place
              <span key={at} className={piece.marked ? cn('rounded-xs', marks[kind]) : undefined}>
                {piece.text}
              </span>
            ))
          : text}
      </span>
    </div>
  )
}
