import { Command, defaultFilter } from 'cmdk'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type Ref, useId, useState } from 'react'
import { cn } from '../lib/cn.ts'
import { useField } from './field-context.ts'
import type { Option } from './option.ts'

/** Options are found by what they say; two that say the same are told apart by their values. */
const byWords = (_value: string, search: string, words: string[] = []) => defaultFilter(words.join(' '), search)

/** One of many, found by typing. The list scrolls past 200 px. */
export function Combobox({
  value,
  onChange,
  options,
  placeholder = 'Choose...',
  searchLabel = 'Search...',
  emptyText = 'Nothing found.',
  label,
  disabled,
  invalid,
  onBlur,
  ref,
}: {
  value: string | undefined
  onChange: (value: string) => void
  options: Option[]
  placeholder?: string
  searchLabel?: string
  emptyText?: string
  label?: string
  disabled?: boolean
  /** The sentence that says why stands elsewhere; in a form row its error says so. */
  invalid?: boolean
  onBlur?: () => void
  ref?: Ref<HTMLButtonElement>
}) {
  const [open, setOpen] = useState(false)
  const listId = useId()
  const field = useField({ disabled, 'aria-invalid': invalid || undefined })
  const chosen = options.find((option) => option.value === value)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        {...field}
        ref={ref}
        onBlur={onBlur}
        role="combobox"
        aria-expanded={open}
        aria-label={label}
        aria-controls={open ? listId : undefined}
        className="control flex h-8 w-full items-center justify-between gap-2 px-2.5"
      >
        <span className={cn('min-w-0 truncate', !chosen && 'text-muted')}>{chosen?.label ?? placeholder}</span>
        <ChevronsUpDown size={16} aria-hidden className="text-muted" />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="start"
          sideOffset={4}
          collisionPadding={8}
          aria-label={label ?? searchLabel}
          className="z-50 w-(--radix-popover-trigger-width) min-w-55 animate-pop overflow-hidden rounded-lg border bg-raised shadow-raised"
        >
          <Command label={searchLabel} defaultValue={value ?? ''} filter={byWords}>
            <Command.Input
              placeholder={searchLabel}
              className="h-9 w-full border-b bg-transparent px-3 outline-none placeholder:text-muted"
            />
            <Command.List id={listId} className="max-h-50 overflow-y-auto p-1">
              <Command.Empty className="px-2 py-3 text-center text-muted">{emptyText}</Command.Empty>
              {options.map((option) => (
                <Command.Item
                  key={option.value}
                  value={option.value}
                  keywords={[option.label, ...(option.note ? [option.note] : [])]}
                  disabled={option.disabled ?? false}
                  onSelect={() => {
                    onChange(option.value)
                    setOpen(false)
                  }}
                  className="flex h-8 items-center gap-2 rounded-md px-2 select-none data-[disabled=true]:opacity-50 data-[selected=true]:bg-selected"
                >
                  <span className="truncate" title={option.label}>
                    {option.label}
                  </span>
                  {option.note && <span className="truncate text-sm text-muted">{option.note}</span>}
                  {option.value === value && <Check size={16} aria-hidden className="ml-auto text-accent-text" />}
                </Command.Item>
              ))}
            </Command.List>
          </Command>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
