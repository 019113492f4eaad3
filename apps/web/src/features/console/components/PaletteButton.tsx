import { Search } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useKeyboard } from '../../../lib/use-keyboard.ts'
import { Kbd } from '../../../ui/Kbd.tsx'
import type { ConsoleLocation } from '../location.ts'

const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }))
const key = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K'

/** The way to the palette in the header; Ctrl or Command K opens it from anywhere. */
export function PaletteButton({ location }: { location: ConsoleLocation }) {
  const [open, setOpen] = useState(false)
  useKeyboard('mod+k', (event) => {
    event.preventDefault()
    setOpen((is) => !is)
  })
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
        className="control flex h-8 items-center gap-2 px-2.5 text-muted lg:w-80"
      >
        <Search size={16} aria-hidden />
        <span className="max-lg:sr-only lg:flex-1 lg:text-left">Search or run...</span>
        <span className="max-lg:hidden">
          <Kbd>{key}</Kbd>
        </span>
      </button>
      {open && (
        <Suspense>
          <Palette location={location} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
