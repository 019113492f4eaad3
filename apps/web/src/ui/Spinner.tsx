import { cn } from '../lib/cn.ts'

/** A turning ring in the colour of the text around it. Decoration: say what is going on beside it, or pass `label`. */
export function Spinner({ size = 16, label, className }: { size?: number; label?: string; className?: string }) {
  return (
    <span
      role={label ? 'status' : undefined}
      className={cn('inline-flex flex-none', className)}
      style={{ width: size, height: size }}
    >
      <span
        aria-hidden
        className="size-full animate-spin rounded-full border-2 border-current border-r-transparent"
        style={{ borderWidth: size > 24 ? 3 : 2 }}
      />
      {label && <span className="sr-only">{label}</span>}
    </span>
  )
}
