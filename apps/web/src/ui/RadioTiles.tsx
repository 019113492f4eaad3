import { RadioGroup } from 'radix-ui'
import type { ReactNode, Ref } from 'react'
import { cn } from '../lib/cn.ts'
import { useField, useFieldLabel } from './field-context.ts'

export type Tile = { value: string; title: string; note?: ReactNode; description?: ReactNode; disabled?: boolean }

/** A choice among a few things worth comparing. Arrow keys move. Inside `<FormRow group>`, or with `label`. */
export function RadioTiles({
  value,
  onChange,
  tiles,
  label,
  compact = false,
  disabled,
  onBlur,
  ref,
}: {
  value: string | undefined
  onChange: (value: string) => void
  tiles: Tile[]
  label?: string
  /** Two beside each other also where there is little room, for short titles. */
  compact?: boolean
  disabled?: boolean
  onBlur?: () => void
  ref?: Ref<HTMLDivElement>
}) {
  const { disabled: off, ...field } = useField({ disabled })
  const labelId = useFieldLabel()
  return (
    <RadioGroup.Root
      {...field}
      // A group is invalid through its description; the attribute is not allowed on it.
      aria-invalid={undefined}
      ref={ref}
      tabIndex={-1}
      onBlur={onBlur}
      value={value ?? ''}
      onValueChange={onChange}
      disabled={off}
      aria-label={label}
      aria-labelledby={label ? undefined : labelId}
      className={cn(
        'grid gap-3 outline-none',
        compact ? 'grid-cols-2' : 'grid-cols-[repeat(auto-fill,minmax(min(100%,200px),1fr))]',
      )}
    >
      {tiles.map((tile) => (
        <RadioGroup.Item
          key={tile.value}
          value={tile.value}
          disabled={tile.disabled ?? false}
          className="group flex flex-col rounded-lg border border-line-strong bg-panel px-3.5 py-3 text-left transition-colors hover:border-control disabled:pointer-events-none disabled:opacity-50 aria-checked:border-accent aria-checked:ring-1 aria-checked:ring-accent"
        >
          {/* A note that would squeeze the title goes below it. */}
          <span className="flex flex-wrap items-center gap-x-2">
            <span
              aria-hidden
              data-part="dot"
              className="grid size-4 flex-none place-items-center rounded-full border border-control bg-page group-aria-checked:border-accent group-aria-checked:bg-accent"
            >
              <span className="size-1.5 rounded-full bg-on-accent opacity-0 group-aria-checked:opacity-100" />
            </span>
            <span className="min-w-0 flex-[1_1_min-content] font-semibold break-words">{tile.title}</span>
            {tile.note && <span className="num ml-auto text-muted">{tile.note}</span>}
          </span>
          {tile.description && <span className="mt-1 block pl-6 text-md text-muted">{tile.description}</span>}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
