import { useMemo } from 'react'
import { cn } from '../../lib/cn.ts'
import { plural } from '../../lib/plural.ts'
import { lineDifference, withGaps } from './line-difference.ts'

const looks = {
  same: '',
  added: 'bg-ok-soft text-ok-text',
  removed: 'bg-bad-soft text-bad-text',
}
const signs = { same: ' ', added: '+', removed: '-' }
const words = { same: '', added: 'added: ', removed: 'removed: ' }

/** A text in two versions, line by line. */
export function LineDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const parts = useMemo(() => withGaps(lineDifference(before, after)), [before, after])
  return (
    <div
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="mono max-h-80 overflow-auto rounded-md border bg-page py-1 text-sm"
    >
      {parts.map((part, at) =>
        part.kind === 'gap' ? (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no name but their place
          <div key={at} className="px-2 text-muted">
            ⋯ {plural(part.count, 'unchanged line')}
          </div>
        ) : (
          // oxlint-disable-next-line react/no-array-index-key -- lines have no name but their place
          <div key={at} className={cn('min-w-full px-2 break-words whitespace-pre-wrap', looks[part.kind])}>
            <span aria-hidden className="select-none">
              {signs[part.kind]}{' '}
            </span>
            <span className="sr-only">{words[part.kind]}</span>
            {part.text}
          </div>
        ),
      )}
    </div>
  )
}
