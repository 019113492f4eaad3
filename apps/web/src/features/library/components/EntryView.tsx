import type { LibraryType } from '@app/contract'
import { useQuery } from '@tanstack/react-query'
import { FileQuestion } from 'lucide-react'
import { useMemo } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { FlowView } from '../../../ui/flow/FlowView.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { useTeam } from '../../teams/index.ts'
import { entryQuery } from '../library.queries.ts'

/** An entry of the library: flows as a drawing, and the text of both kinds to copy [LIB-04]. */
export function EntryView({ path, type }: { path: string; type: LibraryType }) {
  const team = useTeam()
  const { data: text, error, refetch } = useQuery(entryQuery(team.id, path, type))
  const flows = useMemo<unknown>(() => (type === 'flows' && text ? JSON.parse(text) : undefined), [text, type])
  if (error && text === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (text === undefined) return <Loading />
  if (text === null)
    return (
      <EmptyState icon={<FileQuestion />} title="Nothing here">
        It was deleted or moved, or it never existed.
      </EmptyState>
    )
  return (
    <div className="flex flex-col gap-4">
      {flows !== undefined && (
        <Card title="Flows">
          <FlowView flows={flows} />
        </Card>
      )}
      <Card title={type === 'flows' ? 'JSON' : 'Code'} end={<CopyButton text={text} label="Copy to Clipboard" />}>
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must take the keyboard
          tabIndex={0}
          role="region"
          aria-label="Contents"
          className="mono max-h-[70vh] overflow-auto p-4 whitespace-pre"
        >
          {text}
        </pre>
      </Card>
    </div>
  )
}
