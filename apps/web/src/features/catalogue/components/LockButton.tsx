import { Lock, LockOpen } from 'lucide-react'
import { cn } from '../../../lib/cn.ts'
import { IconButton } from '../../../ui/IconButton.tsx'

/** May owners of instances change this? A closed lock: the template decides. */
export function LockButton({
  what,
  open,
  onChange,
}: {
  what: string
  open: boolean
  onChange: (open: boolean) => void
}) {
  return (
    <IconButton
      label={open ? `Lock ${what}: instances may change it` : `Unlock ${what}: the template decides it`}
      aria-pressed={!open}
      className={cn(!open && 'bg-selected text-ink')}
      onClick={() => onChange(!open)}
    >
      {open ? <LockOpen size={16} aria-hidden /> : <Lock size={16} aria-hidden />}
    </IconButton>
  )
}
