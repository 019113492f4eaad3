import { ArrowLeftRight } from 'lucide-react'
import { PageFailure } from '../../../lib/api-failure.tsx'
import { usePageTitle } from '../../../lib/page-title.ts'
import { useQueryTexts } from '../../../lib/use-query-state.ts'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { FormRow } from '../../../ui/FormRow.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Combobox } from '../../../ui/Combobox.tsx'
import { EntryHeader } from '../../../ui/PageHeader.tsx'
import { Compared, comparisonOf } from '../../deployments/index.ts'
import { useCurrentInstance } from '../../instances/index.ts'
import { choiceOf, keptOf } from '../history-text.ts'
import { useHistory, useHistoryChanges } from '../history.queries.ts'

/** Stands for the current flows where a version or snapshot could stand. */
const now = 'now'
const none: never[] = []

/** The differences between any two points in the history of an instance, or one and what it holds now. */
export function HistoryComparePage() {
  const { id, name } = useCurrentInstance()
  usePageTitle('Compare', name)
  // In the address, so that a comparison can be sent to others.
  const [{ from: first, to }, setTexts] = useQueryTexts(['from', 'to'])
  const from = first === '' ? now : first
  const list = useHistory(id, '', '')
  const points = list.data?.pages.flatMap(({ history }) => history) ?? none
  const options = points.flatMap((point) => {
    const value = keptOf(point)
    return value === undefined ? [] : [{ value, label: choiceOf(point) }]
  })
  const answer = useHistoryChanges(id, to, from === now ? undefined : from)
  const { data, error, refetch } = answer
  if (error && !data) return <PageFailure error={error} onRetry={() => void refetch()} />
  return (
    <div className="flex flex-col gap-4">
      <EntryHeader list={{ to: `/instance/${id}/history`, label: 'History' }} title="Compare">
        <CopyButton text={location.href} what="link" />
      </EntryHeader>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <FormRow label="From">
            <Combobox
              value={from}
              onChange={(value) => setTexts({ from: value === now ? '' : value })}
              options={[{ value: now, label: 'Current flows' }, ...options]}
            />
          </FormRow>
        </div>
        <IconButton label="Swap" disabled={from === now || to === ''} onClick={() => setTexts({ from: to, to: from })}>
          <ArrowLeftRight size={16} aria-hidden />
        </IconButton>
        <div className="min-w-0 flex-1 basis-64">
          <FormRow label="To">
            <Combobox value={to} onChange={(value) => setTexts({ to: value })} options={options} />
          </FormRow>
        </div>
      </div>
      {to !== '' && <Compared {...comparisonOf(answer)} />}
    </div>
  )
}
