import { cn } from '../lib/cn.ts'

/** One grey bar in the place of what will come. Give it the size of the result. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block h-3.5 animate-pulse rounded-sm bg-selected', className)} />
}

const widths = ['w-2/3', 'w-1/2', 'w-3/4', 'w-2/5', 'w-3/5']

/** Lines of text that are on their way. */
export function SkeletonText({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading..." className="flex flex-col gap-2.5 py-1">
      {widthsOf(lines).map(([key, width]) => (
        <Skeleton key={key} className={width} />
      ))}
    </div>
  )
}

/** Rows of a list or a card body that are on their way. */
export function SkeletonRows({ rows = 5, tall }: { rows?: number; tall?: boolean }) {
  return (
    <div role="status" aria-label="Loading..." className="divide-y divide-line">
      {widthsOf(rows).map(([key, width]) => (
        <div key={key} className={cn('flex items-center gap-6 px-4', tall ? 'h-14' : 'h-10')}>
          <span className="flex-1">
            <Skeleton className={width} />
          </span>
          <Skeleton className="w-20 max-sm:hidden" />
          <Skeleton className="w-24" />
        </div>
      ))}
    </div>
  )
}

/** A card that is on its way. */
export function SkeletonCard({ rows = 3 }: { rows?: number }) {
  return (
    <div className="rounded-lg border bg-panel">
      <div className="flex h-12.5 items-center border-b px-4">
        <Skeleton className="h-4 w-40" />
      </div>
      <SkeletonRows rows={rows} tall />
    </div>
  )
}

function widthsOf(count: number): [string, string][] {
  return Array.from({ length: count }, (_, index) => [`row-${index}`, widths[index % widths.length] ?? 'w-1/2'])
}
