import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { memo, type ReactNode, type UIEvent, useMemo, useState } from 'react'
import { cn } from '../../lib/cn.ts'
import { plural } from '../../lib/plural.ts'
import { IconButton } from '../IconButton.tsx'
import { Select } from '../Select.tsx'
import { type Box, type Drawing, type DrawnNode, drawingOf, nodesOf, tabsOf, within } from './flow-drawing.ts'

type Mark = 'added' | 'changed' | 'moved' | 'removed'
/** Change of each node, marked in the drawing. */
export type FlowMarks = ReadonlyMap<string, Mark>

/** A drawing with more nodes is drawn in part: what is in sight, and around it. */
const wholeUpTo = 300
/** In pixels of the screen: how far around, and after how much scrolling the part is another one. */
const cell = 800
/** As large as what is in sight ever is. */
const sight = { w: 2_400, h: 600 }

const zooms = [0.25, 0.5, 0.75, 1, 1.5, 2]

/** Flows drawn as in the editor: one tab or subflow at a time, with its nodes, groups and wires. */
export function FlowView({
  flows: given,
  marks,
  compact = false,
  tools,
}: {
  /** As they stand in a file; whatever is no node is left out. */
  flows: unknown
  marks?: FlowMarks | undefined
  /** Lower, as a part of something. */
  compact?: boolean
  /** More of the toolbar. */
  tools?: ReactNode
}) {
  const flows = useMemo(() => nodesOf(given), [given])
  const tabs = useMemo(() => tabsOf(flows), [flows])
  const [chosen, setChosen] = useState<string>()
  const [zoom, setZoom] = useState<number>()
  /** Unless told, the first on which something is marked. */
  const marked = useMemo(
    () => marks && tabs.find((one) => flows.some(({ id, z }) => z === one.id && marks.has(id))),
    [flows, tabs, marks],
  )
  const tab = tabs.find(({ id }) => id === chosen) ?? marked ?? tabs[0]
  const drawing = useMemo(() => tab && drawingOf(flows, tab.id), [flows, tab])
  const [corner, setCorner] = useState({ x: 0, y: 0 })
  const scale = zoom ?? 1
  const shown = useMemo(
    () => (drawing && drawing.nodes.length > wholeUpTo ? within(drawing, around(drawing, corner, scale)) : drawing),
    [drawing, corner, scale],
  )
  if (!tab || !drawing || !shown) return <p className="p-4 text-muted">There are no flows in it.</p>
  const scrolled = ({ currentTarget: { scrollLeft, scrollTop } }: UIEvent) => {
    const next = { x: Math.floor(scrollLeft / cell) * cell, y: Math.floor(scrollTop / cell) * cell }
    if (next.x !== corner.x || next.y !== corner.y) setCorner(next)
  }
  const step = (by: 1 | -1) => setZoom(zooms[Math.min(zooms.length - 1, Math.max(0, zooms.indexOf(scale) + by))])
  return (
    <div>
      <div className="flex flex-wrap items-center gap-2 border-b px-4 py-2">
        <Select
          inline
          label="Flow"
          value={tab.id}
          onChange={setChosen}
          options={tabs.map(({ id, label, subflow, off }) => ({
            value: id,
            label: `${label}${subflow ? ' (subflow)' : ''}${off ? ' (disabled)' : ''}`,
          }))}
        />
        <span className="num text-md text-muted">{plural(drawing.nodes.length, 'node')}</span>
        {tools}
        <div className="ml-auto flex items-center">
          <IconButton size="sm" label="Smaller" disabled={scale <= zooms[0]!} onClick={() => step(-1)}>
            <ZoomOut size={15} aria-hidden />
          </IconButton>
          <IconButton size="sm" label="Larger" disabled={scale >= zooms.at(-1)!} onClick={() => step(1)}>
            <ZoomIn size={15} aria-hidden />
          </IconButton>
          <IconButton size="sm" label="Actual size" onClick={() => setZoom(undefined)}>
            <Maximize size={15} aria-hidden />
          </IconButton>
        </div>
      </div>
      <div
        role="group"
        aria-label={`Drawing of ${tab.label}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        onScroll={scrolled}
        className={cn('overflow-auto bg-page', compact ? 'max-h-70' : 'max-h-120')}
      >
        <svg
          role="img"
          aria-label={`${tab.label}: ${plural(drawing.nodes.length, 'node')}`}
          width={drawing.w * scale}
          height={drawing.h * scale}
          viewBox={`${drawing.x} ${drawing.y} ${drawing.w} ${drawing.h}`}
          className="block"
        >
          <Picture drawing={shown} marks={marks} />
        </svg>
      </div>
    </div>
  )
}

/** The part of a drawing that is in sight or near it, where this corner of it is shown at this scale. */
function around({ x, y }: Drawing, corner: { x: number; y: number }, scale: number): Box {
  return {
    x: x + (corner.x - cell) / scale,
    y: y + (corner.y - cell) / scale,
    w: (sight.w + 3 * cell) / scale,
    h: (sight.h + 3 * cell) / scale,
  }
}

/** Drawn again only when the flow is another one, however often it is made larger. */
const Picture = memo(function Picture({ drawing, marks }: { drawing: Drawing; marks: FlowMarks | undefined }) {
  return (
    <>
      {drawing.groups.map(({ id, label, fill, stroke, x, y, w, h }) => (
        <g key={id}>
          <rect
            x={x}
            y={y}
            width={w}
            height={h}
            rx={4}
            fill={fill ?? 'none'}
            fillOpacity={0.25}
            {...(stroke ? { stroke } : {})}
            className={stroke ? undefined : 'stroke-line-strong'}
          />
          {label && (
            <text x={x + 8} y={y + 17} fontSize={13} className="fill-muted">
              {label}
            </text>
          )}
        </g>
      ))}
      {drawing.wires.map(({ id, path }) => (
        <path key={id} d={path} fill="none" strokeWidth={2} className="stroke-control" />
      ))}
      {drawing.nodes.map((node) => (
        <Node key={node.id} node={node} mark={marks?.get(node.id)} />
      ))}
    </>
  )
})

const markLooks = { added: 'stroke-ok', changed: 'stroke-warn', moved: 'stroke-busy', removed: 'stroke-bad' }

function Node({ node, mark }: { node: DrawnNode; mark: Mark | undefined }) {
  const { x, y, w, h } = node
  if (node.junction)
    return <rect x={x} y={y} width={w} height={h} rx={3} fill="#d9d9d9" stroke="#777777" opacity={node.off ? 0.5 : 1} />
  const port = (at: number, px: number) => (
    <rect key={`${px}:${at}`} x={px - 5} y={y + at - 5} width={10} height={10} rx={3} fill="#d9d9d9" stroke="#777777" />
  )
  return (
    <g opacity={node.off ? 0.5 : 1}>
      {mark && (
        <rect
          x={x - 5}
          y={y - 5}
          width={w + 10}
          height={h + 10}
          rx={9}
          fill="none"
          strokeWidth={3}
          className={markLooks[mark]}
        />
      )}
      <rect
        x={x}
        y={y}
        width={w}
        height={h}
        rx={5}
        fill={node.fill}
        stroke="#777777"
        strokeDasharray={node.off ? '6 4' : undefined}
      />
      {/* Drawn on the colours of Node-RED, which are the same in the dark. */}
      <text x={x + w / 2} y={y + h / 2} fontSize={14} fill="#333333" textAnchor="middle" dominantBaseline="central">
        {node.label}
      </text>
      <title>{`${node.label || node.type} (${node.type})`}</title>
      {node.hasInput && port(h / 2, x)}
      {node.outputs.map((at) => port(at, x + w))}
    </g>
  )
}

/** Says what the colours of the marks mean. */
export function FlowLegend({ className }: { className?: string }) {
  const words = [
    ['bg-ok', 'added'],
    ['bg-warn', 'changed'],
    ['bg-busy', 'moved'],
    ['bg-bad', 'removed'],
  ] as const
  return (
    <span className={cn('flex gap-3 text-sm text-muted', className)}>
      {words.map(([look, word]) => (
        <span key={word} className="flex items-center gap-1.5">
          <span aria-hidden data-part="dot" className={cn('size-2 rounded-full', look)} />
          {word}
        </span>
      ))}
    </span>
  )
}
