import { Progress as Radix } from 'radix-ui'
import { cn } from '../lib/cn.ts'

/** A bar from 0 to `max`; without `value` it only says that something goes on. */
export function Progress({ value, max = 100, label }: { value?: number | undefined; max?: number; label: string }) {
  return (
    <Radix.Root
      value={value ?? null}
      max={max}
      aria-label={label}
      className="h-1 w-full overflow-hidden rounded-full bg-track"
    >
      <Radix.Indicator
        data-part="bar"
        className={cn(
          'h-full rounded-full bg-busy transition-[width] duration-200',
          value === undefined && 'animate-pulse',
        )}
        style={{ width: value === undefined ? '100%' : `${Math.min(100, (value / max) * 100)}%` }}
      />
    </Radix.Root>
  )
}
