import type { NodeChange } from '@app/contract'
import { useDeferredValue, useMemo, useState } from 'react'
import { nodeCountsText } from '../../../lib/node-counts.ts'
import { plural } from '../../../lib/plural.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { SearchInput } from '../../../ui/Input.tsx'
import { Select } from '../../../ui/Select.tsx'
import { countFlows, countNodes, everyFlow, filterNodes, noFlow } from '../difference-filter.ts'
import type { NodeNames } from '../property-text.ts'
import { NodeRow } from './NodeRow.tsx'

/** More rows at once than anybody reads would only hold the page up. */
const rowsAtOnce = 100
/** Fewer nodes are seen at a glance. */
const filteredFrom = 8

/** The nodes that differ, to be searched, by flow, and without those that only moved unless they are asked for. */
export function NodeDifferences({
  nodes,
  names,
  moved,
  onMoved,
}: {
  nodes: readonly NodeChange[]
  names: NodeNames
  /** Are nodes shown of which only the position differs? */
  moved: boolean
  onMoved: (moved: boolean) => void
}) {
  const [text, setText] = useState('')
  const [chosen, setFlow] = useState(everyFlow)
  const [most, setMost] = useState(rowsAtOnce)
  const counts = useMemo(() => countNodes(nodes), [nodes])
  const flows = useMemo(
    () => countFlows(moved ? nodes : nodes.filter(({ change }) => change !== 'moved')),
    [nodes, moved],
  )
  const flow = flows.some(([name]) => name === chosen) ? chosen : everyFlow
  const filter = useDeferredValue(text)
  const found = useMemo(() => filterNodes(nodes, { text: filter, flow, moved }), [nodes, filter, flow, moved])
  const shown = found.slice(0, most)
  const hidden = found.length - shown.length
  return (
    <section>
      <h3 className="mb-1.5 flex flex-wrap items-baseline gap-x-2 font-semibold">
        Nodes <span className="num text-md font-normal text-muted">{nodeCountsText(counts)}</span>
      </h3>
      <div className="mb-2 flex flex-wrap items-center gap-x-3 gap-y-2 empty:hidden">
        {nodes.length >= filteredFrom && (
          <>
            <SearchInput
              value={text}
              onChange={setText}
              label="Search nodes and code"
              className="min-w-0 flex-1 basis-52"
            />
            {flows.length > 1 && (
              <Select
                inline
                label="Flow"
                value={flow}
                onChange={setFlow}
                options={[
                  { value: everyFlow, label: 'All flows' },
                  ...flows.map(([name, count]) => ({
                    value: name,
                    label: `${name === noFlow ? 'On no flow' : name} (${count.toLocaleString()})`,
                  })),
                ]}
              />
            )}
          </>
        )}
        {counts.moved > 0 && (
          <Checkbox checked={moved} onChange={onMoved} label={`Show ${counts.moved.toLocaleString()} moved`} />
        )}
      </div>
      {shown.length > 0 ? (
        <ul className="divide-y overflow-hidden rounded-lg border bg-panel">
          {shown.map((node) => (
            <NodeRow key={node.id} node={node} names={names} />
          ))}
          {hidden > 0 && (
            <li className="flex items-center justify-between gap-3 px-3 py-2 text-muted">
              and {plural(hidden, 'more node')}
              <Button size="sm" onClick={() => setMost(most + rowsAtOnce)}>
                Show {Math.min(hidden, rowsAtOnce)} more
              </Button>
            </li>
          )}
        </ul>
      ) : (
        <p className="text-muted">
          {filter.trim() === '' && flow === everyFlow ? 'Only positions differ.' : 'No node matches.'}
        </p>
      )}
    </section>
  )
}
