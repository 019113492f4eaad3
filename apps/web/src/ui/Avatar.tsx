import { Avatar as Radix } from 'radix-ui'
import { cn } from '../lib/cn.ts'

/** A picture, or initials while there is none. People are round, groups square. Decoration beside the name. */
export function Avatar({
  name,
  src,
  shape = 'round',
  size = 22,
}: {
  name: string
  src?: string | undefined
  shape?: 'round' | 'square'
  size?: number
}) {
  return (
    <Radix.Root
      aria-hidden
      className={cn(
        'grid flex-none place-items-center overflow-hidden bg-accent-mark font-semibold text-accent-text',
        shape === 'round' ? 'rounded-full' : 'rounded-md',
      )}
      style={{ width: size, height: size, fontSize: Math.max(10, Math.round(size * 0.42)) }}
    >
      {src && <Radix.Image src={src} alt="" className="size-full object-cover" />}
      <Radix.Fallback delayMs={src ? 300 : 0}>{initials(name)}</Radix.Fallback>
    </Radix.Root>
  )
}

/** 'Example Bakery' becomes 'EB', 'alice' becomes 'AL'. */
export function initials(name: string): string {
  const [first = '', ...rest] = name.split(/[\s_-]+/).filter((word) => word !== '')
  const last = rest.at(-1)
  return (last ? first.slice(0, 1) + last.slice(0, 1) : first.slice(0, 2)).toUpperCase()
}
