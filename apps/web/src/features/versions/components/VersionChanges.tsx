import type { FlowVersion } from '@app/contract'
import { TextLink } from '../../../ui/TextLink.tsx'
import { countsText, tabTexts } from '../version-text.ts'

/** The changes of a version: in all, and per tab where there is more than one. `page` shows them one by one. */
export function VersionChanges({ changes, page }: Pick<FlowVersion, 'changes'> & { page: string | undefined }) {
  const text = changes ? countsText(changes) : 'too many to count'
  return (
    <div className="py-0.5 max-sm:text-right">
      <div className={changes ? undefined : 'text-muted'}>
        {page === undefined ? text : <TextLink to={page}>{text}</TextLink>}
      </div>
      {changes &&
        tabTexts(changes).map((tab) => (
          <div key={tab} className="text-sm break-words text-muted">
            {tab}
          </div>
        ))}
    </div>
  )
}
