import { getNonce } from 'get-nonce'
import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import type { Ref } from 'react'
import { cn } from '../lib/cn.ts'
import { useField } from './field-context.ts'
import type { Option } from './option.ts'

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
  const field = useField({ disabled })
  return (
    <Radix.Root value={value ?? ''} onValueChange={onChange} disabled={field.disabled}>
      <Radix.Trigger
        {...field}
        ref={ref}
        onBlur={onBlur}
        aria-label={label}
        className={cn('control flex h-8 items-center justify-between gap-2 px-2.5', inline ? 'min-w-30' : 'w-full')}
      >
        <span className="min-w-0 truncate data-placeholder:text-muted">
          <Radix.Value placeholder={<span className="text-muted">{placeholder}</span>} />
        </span>
        <ChevronDown size={16} aria-hidden className="text-muted" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 min-w-(--radix-select-trigger-width) animate-pop overflow-hidden rounded-lg border bg-raised shadow-raised"
        >
          <Radix.Viewport nonce={getNonce() ?? ''} className="max-h-50 p-1">
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                disabled={option.disabled ?? false}
                className="flex h-8 items-center gap-2 rounded-md px-2 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-selected"
              >
                <Radix.ItemText>{option.label}</Radix.ItemText>
                {option.note && <span className="text-sm text-muted">{option.note}</span>}
                <Radix.ItemIndicator className="ml-auto">
                  <Check size={16} aria-hidden className="text-accent-text" />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
