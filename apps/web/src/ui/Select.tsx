import { Check, ChevronDown } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type KeyboardEvent, type Ref, useId, useRef, useState } from 'react'
import { useField } from './field-context.ts'
import type { Option } from './option.ts'

/*
 * Not Radix Select: while open it hides the rest of the page from screen readers without taking it out of the focus
 * order, and it adds a <style> of its own. This is the select-only combobox of the ARIA practices on a popover.
 */

/** One of a few. Past a dozen, or where people know the name they want, use Combobox. The list scrolls past 200 px. */
export function Select({
  value,
  onChange,
  options,
  placeholder = 'Choose...',
  label,
  inline,
  disabled,
  onBlur,
  ref,
}: {
  value: string | undefined
  onChange: (value: string) => void
  options: Option[]
  placeholder?: string
  /** Its name, where no form row gives one. */
  label?: string
  /** As wide as its text, for toolbars. */
  inline?: boolean
  disabled?: boolean
  onBlur?: () => void
  ref?: Ref<HTMLButtonElement>
}) {
  const [open, setOpen] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const { disabled: off, ...field } = useField({ disabled })
  const chosen = options.find((option) => option.value === value)
  const choose = (option: Option) => {
    onChange(option.value)
    setOpen(false)
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        {...field}
        ref={ref}
        onBlur={onBlur}
        disabled={off || options.length === 0}
        role="combobox"
        aria-expanded={open}
        aria-controls={open ? listId : undefined}
        aria-haspopup="listbox"
        aria-label={label}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
          event.preventDefault()
          setOpen(true)
        }}
        className={`control flex h-8 items-center justify-between gap-2 px-2.5 ${inline ? 'min-w-30' : 'w-full'}`}
      >
        <span className={`min-w-0 truncate ${chosen ? '' : 'text-muted'}`}>{chosen?.label ?? placeholder}</span>
        <ChevronDown size={16} aria-hidden className="text-muted" />
      </Popover.Trigger>
      {/* No portal: the list keeps its place in the tab order and in the landmark around it. */}
      <Popover.Content
        ref={list}
        id={listId}
        role="listbox"
        aria-label={label ?? 'Choices'}
        align="start"
        sideOffset={4}
        collisionPadding={8}
        onKeyDown={moveFocus}
        onOpenAutoFocus={(event) => {
          event.preventDefault()
          const items = list.current
          const first =
            items?.querySelector<HTMLElement>('[aria-selected=true]') ?? items?.querySelector<HTMLElement>(enabled)
          first?.focus()
        }}
        className="z-50 max-h-50 min-w-(--radix-popover-trigger-width) animate-pop overflow-y-auto rounded-lg border bg-raised p-1 text-base font-normal text-ink shadow-raised outline-none"
      >
        {options.map((option) => (
          <div
            key={option.value}
            role="option"
            tabIndex={-1}
            aria-selected={option.value === value}
            aria-disabled={option.disabled || undefined}
            onClick={() => !option.disabled && choose(option)}
            onPointerMove={(event) => event.currentTarget.focus({ preventScroll: true })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return
              event.preventDefault()
              if (!option.disabled) choose(option)
            }}
            className="flex h-8 cursor-default items-center gap-2 rounded-md px-2 outline-none select-none focus:bg-selected aria-disabled:opacity-50"
          >
            <span className="truncate">{option.label}</span>
            {option.note && <span className="text-sm whitespace-nowrap text-muted">{option.note}</span>}
            {option.value === value && <Check size={16} aria-hidden className="ml-auto text-accent-text" />}
          </div>
        ))}
      </Popover.Content>
    </Popover.Root>
  )
}

const enabled = '[role=option]:not([aria-disabled])'

/** Arrows, Home and End walk; a letter goes to the next choice that begins with it. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>(enabled)]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const next = target(event.key, items, at)
  if (!next) return
  event.preventDefault()
  next.focus()
}

function target(key: string, items: HTMLElement[], at: number): HTMLElement | undefined {
  if (key === 'ArrowDown') return items[Math.min(at + 1, items.length - 1)]
  if (key === 'ArrowUp') return items[Math.max(at - 1, 0)]
  if (key === 'Home') return items[0]
  if (key === 'End') return items.at(-1)
  if (key.length !== 1 || key === ' ') return undefined
  const starts = (item: HTMLElement) => item.textContent.toLowerCase().startsWith(key.toLowerCase())
  return items.slice(at + 1).find(starts) ?? items.find(starts)
}
