import { formatDate, formatExact } from '../../../lib/dates.ts'
import { linePath, scaleFor, type Series } from '../statistics.ts'

const box = { width: 640, height: 160 }
const lines = ['text-accent', 'text-ok', 'text-busy', 'text-warn', 'text-bad', 'text-idle']
const dots = ['bg-accent', 'bg-ok', 'bg-busy', 'bg-warn', 'bg-bad', 'bg-idle']
const dashes = ['none', '6 3', '2 3', '10 3 2 3', '1 2', '12 4']

/** Lines over time on one scale. Told apart by colour, by dashes and by the numbers in the legend. */
export function CountChart({ times, series, label }: { times: number[]; series: Series[]; label: string }) {
  const top = scaleFor(Math.max(0, ...series.flatMap(({ values }) => values)))
  const [first, last] = [times[0], times.at(-1)]
  return (
    <figure className="p-4">
      <div className="flex gap-2">
        <div aria-hidden className="num flex flex-col justify-between text-right text-sm text-muted">
          <span>{top}</span>
          <span>{top / 2}</span>
          <span>0</span>
        </div>
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${box.width} ${box.height}`}
          preserveAspectRatio="none"
          className="h-40 min-w-0 flex-1 overflow-visible"
        >
          {[0, 0.5, 1].map((share) => (
            <line
              key={share}
              x1={0}
              x2={box.width}
              y1={share * box.height}
              y2={share * box.height}
              stroke="currentColor"
              className="text-line"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {series.map(({ name, values }, i) => (
            <path
              key={name}
              d={linePath(times, values, top, box)}
              fill="none"
              stroke="currentColor"
              strokeWidth={2}
              strokeLinecap="round"
              strokeLinejoin="round"
              strokeDasharray={dashes[i % dashes.length]}
              className={lines[i % lines.length]}
              vectorEffect="non-scaling-stroke"
            />
          ))}
        </svg>
      </div>
      {first !== undefined && last !== undefined && (
        <div className="num mt-1.5 flex justify-between text-sm text-muted">
          <span title={formatExact(first)}>{formatDate(first)}</span>
          <span title={formatExact(last)}>{formatDate(last)}</span>
        </div>
      )}
      <figcaption className="mt-3">
        <ul className="flex flex-wrap gap-x-5 gap-y-1.5">
          {series.map(({ name, values }, i) => (
            <li key={name} className="flex items-center gap-2">
              <span aria-hidden data-part="dot" className={`h-0.75 w-4 rounded-sm ${dots[i % dots.length]}`} />
              <span className="text-muted">{name}</span>
              <span className="num font-semibold">{values.at(-1) ?? 0}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}
