const mib = 1024 * 1024
const headerBytes = 8

/** The part of an engine's statistics that is read. */
export interface Stats {
  cpu_stats: { cpu_usage: { total_usage: number } }
  memory_stats: { usage?: number; stats?: Record<string, number> }
}

/** Memory in MiB without what the kernel keeps of files and gives back at once; undefined for one that does not run. */
export function memoryOf({ memory_stats: { usage, stats = {} } }: Stats): number | undefined {
  if (usage === undefined) return undefined
  const files = stats.total_inactive_file ?? stats.inactive_file ?? 0
  return Math.round((usage - files) / mib)
}

/** The text a container printed: the engine puts a header before each piece, which tells the stream and the length. */
export function outputOf(answer: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at + headerBytes <= answer.length; ) {
    const length = answer.readUInt32BE(at + 4)
    pieces.push(answer.subarray(at + headerBytes, at + headerBytes + length))
    at += headerBytes + length
  }
  return Buffer.concat(pieces)
}
