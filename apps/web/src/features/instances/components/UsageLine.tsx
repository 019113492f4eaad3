import { formatShare } from '../../../lib/sizes.ts'

export interface Reading {
  memoryMb: number
  /** Share of one core. */
  cpu: number | undefined
}

/** Memory and CPU in one line, in the words of the charts below. */
export function UsageLine({ usage: { memoryMb, cpu } }: { usage: Reading }) {
  return (
    <span className="num">
      <span className="whitespace-nowrap">{memoryMb.toLocaleString()} MB</span>
      {cpu !== undefined && (
        <>
          <span className="text-muted"> · </span>
          <span className="whitespace-nowrap">{formatShare(cpu)} of a core</span>
        </>
      )}
    </span>
  )
}
