import type { FlowVersion } from '@app/contract'
import { countsText, tabTexts } from '../version-text.ts'

/** The changes of a version: in all, and per tab where there is more than one. */
export function VersionChanges({ changes }: Pick<FlowVersion, 'changes'>) {
  if (!changes) return <span className="text-muted">too many to compare</span>
  const tabs = tabTexts(changes)
  return (
    <div className="py-0.5 max-sm:text-right">
      <div>{countsText(changes)}</div>
      {tabs.map((text) => (
        <div key={text} className="text-sm break-words text-muted">
          {text}
        </div>
      ))}
    </div>
  )
}
