import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'

type End = { name: ReactNode; note?: ReactNode }

/** From where to where, above the question whether to overwrite: 'Staging → Production'. */
export function Direction({ from, to }: { from: End; to: End }) {
  return (
    <div
      role="group"
      aria-label="Direction"
      className="grid grid-cols-[minmax(0,1fr)_auto_minmax(0,1fr)] items-center gap-3"
    >
      <Side word="From" {...from} />
      <ArrowRight size={18} aria-hidden className="text-muted" />
      <Side word="To" {...to} />
    </div>
  )
}

function Side({ word, name, note }: End & { word: string }) {
  return (
    <div className="min-w-0 rounded-lg border border-line-strong px-3 py-2">
      <div className="text-xs text-muted">{word}</div>
      <div className="font-semibold break-words">{name}</div>
      {note && <div className="text-sm break-words text-muted">{note}</div>}
    </div>
  )
}
