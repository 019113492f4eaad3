import { type KeyboardEvent, type PointerEvent, type ReactNode, useId, useMemo } from 'react'
import { indexAt, isEmpty, lastOf, xOf, plot, runsOf, topOf, type Values } from './chart-model.ts'

export type LineChartProps = {
  title: string
  values: Values
  /** A second line of the same quantity; then both have names. */
  second?: { values: Values; names: readonly [string, string] } | undefined
  /** Text of a value: '12 %'. */
  format: (value: number) => string
  /** The scale reaches at least so far. */
  least: number
  /** When a step was, for the read-out. */
  timeAt: (index: number) => string
  /** Texts below the chart, from its beginning to its end. */
  ticks: string[]
  /** Steps that are marked, and what that means. */
  marks?: { at: number[]; label: string }
  /** The step that is read; charts of one page share it. Undefined: the newest. */
  cursor: number | undefined
  onCursor: (index: number | undefined) => void
  note?: ReactNode
}

/**
 * One quantity over time. A gap stays a gap. The value under the pointer is read out in the heading; the keyboard moves
 * through the steps with the arrow keys, Home and End, and Escape returns to the newest.
 */
export function LineChart(props: LineChartProps) {
  const { title, values, second, format, timeAt, marks, cursor, onCursor } = props
  const id = useId()
  const top = useMemo(
    () => Math.max(topOf(values, props.least), second ? topOf(second.values, props.least) : 0),
    [values, second, props.least],
  )
  const runs = useMemo(() => runsOf(values, top), [values, top])
  const others = useMemo(() => (second ? runsOf(second.values, top) : []), [second, top])
  const textOf = (line: Values) => {
    const shown = cursor === undefined ? lastOf(line) : (line[cursor] ?? null)
    if (shown !== null) return format(shown)
    return cursor === undefined && isEmpty(line) ? 'No measurements' : 'Not measured'
  }
  const text = second
    ? `${second.names[0]}: ${textOf(values)}, ${second.names[1]}: ${textOf(second.values)}`
    : textOf(values)
  const mark = cursor !== undefined && marks?.at.includes(cursor) ? `, ${marks.label}` : ''

  const point = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    onCursor(indexAt((event.clientX - left) / width, values.length))
  }
  const step = (event: KeyboardEvent) => {
    const next = stepOf(event, cursor ?? values.length - 1, values.length)
    if (next === undefined) return
    event.preventDefault()
    onCursor(next === 'newest' ? undefined : next)
  }
  return (
    <section aria-labelledby={id} className="min-w-0 rounded-lg border bg-panel px-4 pt-3 pb-2.5">
      <div className="flex items-baseline gap-2">
        <h2 id={id} className="text-base font-medium text-muted">
          {title}
        </h2>
        <span className="num ml-auto text-md text-muted">{cursor !== undefined && `${timeAt(cursor)}${mark}`}</span>
      </div>
      <p className="num text-xl font-semibold tracking-[-0.01em]">
        {second ? <Named lines={[textOf(values), textOf(second.values)]} names={second.names} /> : text}
        {props.note && lastOf(values) !== null && (
          <span className="ml-1.5 text-md font-normal tracking-normal text-muted">{props.note}</span>
        )}
      </p>
      <div className="mt-1 flex gap-2">
        <div
          role="slider"
          tabIndex={0}
          aria-label={`${title}, point in time`}
          aria-valuemin={0}
          aria-valuemax={values.length - 1}
          aria-valuenow={cursor ?? values.length - 1}
          aria-valuetext={`${timeAt(cursor ?? values.length - 1)}: ${text}${mark}`}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => onCursor(undefined)}
          onKeyDown={step}
          className="relative h-24 min-w-0 flex-1 touch-pan-y rounded-sm"
        >
          <svg
            viewBox={`0 0 ${plot.width} ${plot.height}`}
            preserveAspectRatio="none"
            aria-hidden
            className="absolute inset-0 size-full overflow-visible"
          >
            <Grid />
            {marks?.at.map((index) => (
              <Upright key={index} index={index} length={values.length} className="stroke-ok" dashed />
            ))}
            <Drawing runs={runs} />
            <Dashes runs={others} />
            {cursor !== undefined && <Upright index={cursor} length={values.length} className="stroke-control" />}
          </svg>
        </div>
        <div aria-hidden className="num flex w-14 flex-none flex-col justify-between text-xs text-muted">
          <span>{format(top)}</span>
          <span>{format(0)}</span>
        </div>
      </div>
      <div aria-hidden className="num mt-1 mr-16 flex justify-between text-xs text-muted">
        {props.ticks.map((tick) => (
          <span key={tick} className={props.ticks.length > 3 ? 'max-sm:even:hidden' : undefined}>
            {tick}
          </span>
        ))}
      </div>
    </section>
  )
}

/** The values of two lines, each after a sample of its line and its name. */
function Named({ lines, names }: { lines: [string, string]; names: readonly [string, string] }) {
  return (
    <span className="flex flex-wrap gap-x-5">
      {names.map((name, n) => (
        <span key={name} className="inline-flex items-baseline gap-1.5">
          <svg viewBox="0 0 18 4" aria-hidden className="w-4.5 self-center">
            <line x1={0} x2={18} y1={2} y2={2} {...still} {...(n === 0 ? solid : dashed)} />
          </svg>
          <span className="mono text-md font-normal tracking-normal text-muted">{name}</span>
          {lines[n]}
        </span>
      ))}
    </span>
  )
}

/** A chart the size of a word, without axes; `label` says in words what it shows. */
export function Sparkline({ values, least, label }: { values: Values; least: number; label: string }) {
  const runs = useMemo(() => runsOf(values, topOf(values, least)), [values, least])
  return (
    <svg
      viewBox={`0 0 ${plot.width} ${plot.height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="h-7 w-full min-w-16 overflow-visible"
    >
      <Drawing runs={runs} />
    </svg>
  )
}

const still = { vectorEffect: 'non-scaling-stroke', fill: 'none' } as const
const solid = { strokeWidth: 1.75, className: 'stroke-accent' } as const
const dashed = { strokeWidth: 1.75, strokeDasharray: '4 3', className: 'stroke-busy' } as const

/** A second line is told from the first also by its dashes. */
function Dashes({ runs }: { runs: ReturnType<typeof runsOf> }) {
  return runs.map(({ line }) => <path key={line} d={line} {...still} {...dashed} />)
}

function Drawing({ runs }: { runs: ReturnType<typeof runsOf> }) {
  return runs.map(({ line, area }) => (
    <g key={line}>
      <path d={area} className="fill-accent opacity-12" />
      <path d={line} {...still} strokeWidth={1.75} strokeLinecap="round" className="stroke-accent" />
    </g>
  ))
}

function Grid() {
  return [0, 25, 50, 75, 100].map((y) => (
    <line key={y} x1={0} x2={plot.width} y1={y} y2={y} {...still} strokeWidth={1} className="stroke-line" />
  ))
}

function Upright(props: { index: number; length: number; className: string; dashed?: boolean }) {
  const x = xOf(props.index, props.length) * plot.width
  const dash = props.dashed ? { strokeDasharray: '3 3' } : {}
  return <line x1={x} x2={x} y1={0} y2={plot.height} {...still} {...dash} strokeWidth={1} className={props.className} />
}

function stepOf({ key }: KeyboardEvent, at: number, length: number): number | 'newest' | undefined {
  const far = Math.max(1, Math.round(length / 10))
  const moves: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }
  const leaps: Record<string, number> = { PageDown: -far, PageUp: far, Home: -length, End: length }
  const by = moves[key] ?? leaps[key]
  if (by !== undefined) return Math.max(0, Math.min(length - 1, at + by))
  return key === 'Escape' ? 'newest' : undefined
}
