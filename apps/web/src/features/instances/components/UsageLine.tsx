import { Fragment } from 'react'

export interface Reading {
  memoryMb: number
  /** Share of one core. */
  cpu: number | undefined
  /** The longest wait for the event loop, in ms. */
  delayMs?: number | undefined
}

/** CPU, memory and the delay of the event loop, in one line. */
export function UsageLine({ usage: { memoryMb, cpu, delayMs } }: { usage: Reading }) {
  const parts = [
    `${memoryMb.toLocaleString()} MB`,
    cpu === undefined ? undefined : `${percent(cpu)} CPU`,
    delayMs === undefined ? undefined : `loop delay ${Math.round(delayMs).toLocaleString()} ms`,
  ].filter((part) => part !== undefined)
  return (
    <span className="num">
      {parts.map((part) => (
        <Fragment key={part}>
          {part !== parts[0] && <span className="text-muted"> · </span>}
          <span className="whitespace-nowrap">{part}</span>
        </Fragment>
      ))}
    </span>
  )
}

/** Below a tenth of a percent the number is only noise. */
function percent(share: number): string {
  if (share < 0.001) return '0 %'
  return `${(share * 100).toLocaleString(undefined, { maximumFractionDigits: share < 0.1 ? 1 : 0 })} %`
}
