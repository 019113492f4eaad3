import { cn } from '../lib/cn.ts'

export type ButtonVariant = 'primary' | 'default' | 'danger' | 'ghost'
export type ButtonSize = 'sm' | 'md'

const looks: Record<ButtonVariant, string> = {
  primary: 'border-accent bg-accent text-on-accent hover:border-accent-hover hover:bg-accent-hover',
  default: 'border-line-strong bg-panel text-ink hover:bg-hover',
  danger: 'border-line-strong bg-panel text-bad-text hover:border-bad-line hover:bg-bad-soft',
  ghost: 'border-transparent bg-transparent text-ink hover:bg-hover',
}

/** Classes of everything that looks like a button, so that links and menus need not be buttons. */
export function buttonStyle(variant: ButtonVariant = 'default', size: ButtonSize = 'md'): string {
  return cn(
    'inline-flex flex-none items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors select-none',
    'disabled:pointer-events-none disabled:opacity-45 aria-disabled:pointer-events-none [&[aria-disabled]:not([aria-busy])]:opacity-45',
    size === 'sm' ? 'h-7 px-2.25 text-md' : 'h-8 px-3 text-base',
    looks[variant],
  )
}
