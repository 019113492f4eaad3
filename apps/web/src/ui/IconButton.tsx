import type { ComponentProps, ReactElement } from 'react'
import { cn } from '../lib/cn.ts'
import { Tooltip } from './Tooltip.tsx'

/** A button that shows an icon alone. `label` is its name, read aloud and shown on hover. */
export function IconButton({
  label,
  size = 'md',
  className,
  children,
  ...rest
}: ComponentProps<'button'> & { label: string; size?: 'sm' | 'md'; children: ReactElement }) {
  return (
    <Tooltip content={label}>
      <button
        type="button"
        aria-label={label}
        className={cn(
          'relative grid flex-none place-items-center rounded-md text-muted transition-colors hover:bg-hover hover:text-ink disabled:pointer-events-none disabled:opacity-45 aria-expanded:bg-hover aria-expanded:text-ink',
          size === 'sm' ? 'size-7' : 'size-8',
          className,
        )}
        {...rest}
      >
        {children}
      </button>
    </Tooltip>
  )
}
