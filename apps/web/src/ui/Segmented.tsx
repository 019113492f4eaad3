import { ToggleGroup } from 'radix-ui'
import type { Option } from './option.ts'

/** One of two to four short words, always visible: a filter in a toolbar. */
export function Segmented({
  value,
  onChange,
  options,
  label,
}: {
  value: string
  onChange: (value: string) => void
  options: Option[]
  label: string
}) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next !== '' && onChange(next)}
      aria-label={label}
      className="flex h-8 flex-none rounded-md border border-line-strong"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          disabled={option.disabled ?? false}
          className="border-r border-line px-2.5 text-md text-muted transition-colors first:rounded-l-[5px] last:rounded-r-[5px] last:border-0 hover:text-ink data-[state=on]:bg-selected data-[state=on]:text-ink"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
