import { CircleHelp } from 'lucide-react'
import { useContext } from 'react'
import { HelpContext } from './help-context.ts'
import { Tooltip } from './Tooltip.tsx'

/** Leads to the section of the handbook that explains this page; nothing where there is none. */
export function HelpLink() {
  const address = useContext(HelpContext)
  if (!address) return null
  return (
    <Tooltip content="Learn more">
      <a
        href={address}
        target="_blank"
        rel="noreferrer"
        aria-label="Learn more (opens in a new tab)"
        className="grid size-6 flex-none place-items-center rounded-md text-muted transition-colors hover:bg-hover hover:text-ink"
      >
        <CircleHelp size={16} aria-hidden />
      </a>
    </Tooltip>
  )
}
