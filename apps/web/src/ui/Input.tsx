import { Search, X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useRef } from 'react'
import { cn } from '../lib/cn.ts'
import { useField } from './field-context.ts'

/** One line of text. */
export function Input({ className, ...props }: ComponentProps<'input'>) {
  return (
    <input
      {...props}
      {...useField(props)}
      className={cn('control h-8 w-full min-w-0 px-2.5 text-ink placeholder:text-muted', className)}
    />
  )
}

/** Several lines of text. */
export function Textarea({ className, ...props }: ComponentProps<'textarea'>) {
  return (
    <textarea
      rows={4}
      {...props}
      {...useField(props)}
      className={cn('control block w-full min-w-0 px-2.5 py-1.5 text-ink placeholder:text-muted', className)}
    />
  )
}

/** A search box. `label` is read aloud and stands in the box while it is empty; Escape clears it. */
export function SearchInput({
  value,
  onChange,
  label,
  note,
  className,
  ...rest
}: Omit<ComponentProps<'input'>, 'value' | 'onChange'> & {
  value: string
  onChange: (value: string) => void
  label: string
  /** At the end of the box: '14 matches'. */
  note?: ReactNode
}) {
  const input = useRef<HTMLInputElement>(null)
  const clear = () => {
    onChange('')
    input.current?.focus()
  }
  return (
    <div className={cn('control flex h-8 items-center gap-2 px-2.5 text-muted', className)}>
      <Search size={16} aria-hidden />
      <input
        {...rest}
        ref={input}
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value !== '') {
            event.stopPropagation()
            clear()
          }
          rest.onKeyDown?.(event)
        }}
        className="h-full min-w-0 flex-1 bg-transparent text-ink outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
      />
      {note && <span className="num flex-none text-md">{note}</span>}
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear search"
          onClick={clear}
          className="-mr-1 rounded-sm p-0.5 hover:text-ink"
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </div>
  )
}
