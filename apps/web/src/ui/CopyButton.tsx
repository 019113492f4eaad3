import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from './Button.tsx'
import { IconButton } from './IconButton.tsx'
import { toast } from './toast.ts'

/** Puts a text on the clipboard. `what` names it for screen readers: 'Copy instance ID'. */
export function CopyButton({ text, what = 'text', label }: { text: string; what?: string; label?: string }) {
  const [done, setDone] = useState(false)
  const copy = async () => {
    if (!(await copyText(text))) return
    setDone(true)
    setTimeout(() => setDone(false), 1500)
  }
  const icon = done ? <Check size={14} className="text-ok-text" /> : <Copy size={14} />
  if (label)
    return (
      <Button size="sm" icon={icon} onClick={() => void copy()}>
        {label}
      </Button>
    )
  return (
    <IconButton size="sm" label={`Copy ${what}`} onClick={() => void copy()}>
      {icon}
    </IconButton>
  )
}

/** Copies and says so in a toast; false when the browser refuses [ERR-01]. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    toast.success('Copied to Clipboard.')
    return true
  } catch {
    toast.warning('Clipboard write permission denied.')
    return false
  }
}

/** A text in the mono face that can be copied: an id, an address, a command. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      <span className="mono truncate">{text}</span>
      <CopyButton text={text} what={what} />
    </span>
  )
}
