import { Workflow } from 'lucide-react'

/** The mark alone. Decoration: put the name beside it or label the link around it. */
export function Logo({ size = 26 }: { size?: number }) {
  return (
    <span
      aria-hidden
      className="grid flex-none place-items-center bg-accent text-on-accent"
      style={{ width: size, height: size, borderRadius: Math.round(size * 0.27) }}
    >
      <Workflow size={Math.round(size * 0.62)} strokeWidth={2} />
    </span>
  )
}
