import type { Difference, Drawing } from '@app/contract'
import type { ReactNode } from 'react'
import { Failure } from '../../../lib/api-failure.tsx'
import { Card } from '../../../ui/Card.tsx'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { FlowLegend } from '../../../ui/flow/FlowView.tsx'
import { Select } from '../../../ui/Select.tsx'
import { SkeletonText } from '../../../ui/Skeleton.tsx'
import type { Side } from '../drawn-side.ts'
import { ComparedFlows } from './ComparedFlows.tsx'
import { DifferenceList, useMoved } from './DifferenceList.tsx'

/** The answer of a query, so far. */
interface Query<T> {
  data: T | undefined
  error?: unknown
  refetch?: () => unknown
}

/** Two sets of flows, drawn together above the list of their differences. */
export function Compared(props: {
  /** The flows to draw; without any there is no drawing. */
  flows: Query<{ drawing: Drawing; was: Drawing }> | undefined
  changes: Query<Difference>
  /** Which is drawn at first. */
  first?: Side
  title?: string
  /** At the end of the title. */
  end?: ReactNode
  /** Beside the list. */
  aside?: ReactNode
}) {
  const { flows, changes, first, title = 'Differences', end, aside } = props
  const { moved, onMoved } = useMoved()
  const list = (
    <Card title={title} end={end} padded>
      <Loaded query={changes}>
        {(difference) => <DifferenceList difference={difference} moved={moved} onMoved={onMoved} />}
      </Loaded>
    </Card>
  )
  return (
    <>
      {flows && (
        <Card title="Flows" end={<FlowLegend />}>
          <Loaded query={flows} padded>
            {({ drawing, was }) => (
              <ComparedFlows
                drawing={drawing}
                was={was}
                nodes={changes.data?.nodes}
                moved={moved}
                {...(first && { first })}
              />
            )}
          </Loaded>
        </Card>
      )}
      {aside ? (
        <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,400px)] lg:items-start">
          {list}
          {aside}
        </div>
      ) : (
        list
      )}
    </>
  )
}

/** Chooses what flows are compared with; the link leads to this very comparison. */
export function ComparedWith(props: {
  value: string
  onChange: (value: string) => void
  options: { value: string; label: string }[]
  link: string
}) {
  const { value, onChange, options, link } = props
  return (
    <div className="flex min-w-0 items-center gap-2">
      <Select inline label="Compared with" value={value} onChange={onChange} options={options} />
      <CopyButton text={link} what="link" />
    </div>
  )
}

function Loaded<T>({
  query: { data, error, refetch },
  padded = false,
  children,
}: {
  query: Query<T>
  padded?: boolean
  children: (data: T) => ReactNode
}) {
  if (data !== undefined) return children(data)
  if (error) return <Failure error={error} onRetry={() => void refetch?.()} />
  return padded ? (
    <div className="p-4">
      <SkeletonText />
    </div>
  ) : (
    <SkeletonText />
  )
}
