import type { Difference, Drawing } from '@app/contract'
import { useMemo, useState } from 'react'
import { type FlowMarks, FlowView } from '../../../ui/flow/FlowView.tsx'
import { Segmented } from '../../../ui/Segmented.tsx'
import { drawnSide, type Side } from '../drawn-side.ts'

const sides = [
  { value: 'both', label: 'Both' },
  { value: 'before', label: 'Before' },
  { value: 'after', label: 'After' },
]

/** Flows that differ, drawn before, after or both in one, with what differs marked; moved nodes only on demand. */
export function ComparedFlows(props: {
  drawing: Drawing
  was: Drawing
  nodes: Difference['nodes'] | undefined
  moved: boolean
  compact?: boolean
  /** The side that is drawn at first. */
  first?: Side
}) {
  const { drawing, was, nodes = none, moved, compact = false, first = 'both' } = props
  const [side, setSide] = useState<Side>(first)
  const marks = useMemo<FlowMarks>(
    () => new Map(nodes.flatMap(({ id, change }) => (change === 'moved' && !moved ? [] : [[id, change]]))),
    [nodes, moved],
  )
  const flows = useMemo(() => drawnSide(side, { drawing, was, nodes }), [side, drawing, was, nodes])
  const tools =
    nodes.length > 0 ? (
      <Segmented label="Drawing" value={side} onChange={(next) => setSide(next as Side)} options={sides} />
    ) : undefined
  return <FlowView flows={flows} marks={marks} compact={compact} tools={tools} />
}

const none: never[] = []
