import type { LogNode } from '@app/contract'
import { isAtLeast, lineNodeText } from '@app/contract/constants'
import { type AnsiRun, parseAnsi, stripAnsi } from './ansi.ts'

export type LogLine = {
  /** Milliseconds, or a text of milliseconds and a 4-digit sequence. */
  ts: number | string
  level: string
  msg: string
  /** Which replica wrote it, when there are several. */
  src?: string | undefined
  /** The node that wrote it. */
  node?: LogNode | undefined
}
export type LogLevel = 'all' | 'info' | 'warn' | 'error'

/** The time of a line in ms. */
export function logTime(ts: number | string): number {
  return typeof ts === 'number' ? ts : Number(ts.slice(0, 13))
}

/** Lines at the level or above; a level nobody knows ('system') counts as info. Gives the same array back for 'all'. */
export function filterLevel(lines: LogLine[], level: LogLevel): LogLine[] {
  return level === 'all' ? lines : lines.filter((line) => isAtLeast(line.level, level))
}

/** Indexes of the lines that hold the query, whatever the case. */
export function findMatches(lines: LogLine[], query: string): number[] {
  const wanted = query.toLowerCase()
  if (wanted === '') return []
  const found: number[] = []
  for (let i = 0; i < lines.length; i++) {
    if (
      stripAnsi((lines[i] as LogLine).msg)
        .toLowerCase()
        .includes(wanted)
    )
      found.push(i)
  }
  return found
}

/** Where the line stands now, from the end; -1 when it is gone. Lists are rebuilt, so the object itself proves nothing. */
export function findLine(lines: LogLine[], wanted: LogLine): number {
  return lines.findLastIndex(
    (line) => line === wanted || (line.ts === wanted.ts && line.src === wanted.src && line.msg === wanted.msg),
  )
}

export type Segment = AnsiRun & { mark: boolean; at: number }

/** A message cut where its look changes and where the query begins and ends, also across a change of colour. */
export function segmentsOf(msg: string, query: string): Segment[] {
  const marks = rangesOf(stripAnsi(msg).toLowerCase(), query.toLowerCase())
  const segments: Segment[] = []
  let at = 0
  for (const run of parseAnsi(msg)) {
    const end = at + run.text.length
    const cuts = [at, ...marks.flat().filter((cut) => cut > at && cut < end), end]
    for (let i = 0; i + 1 < cuts.length; i++) {
      const [from, to] = [cuts[i] as number, cuts[i + 1] as number]
      const mark = marks.some(([start, stop]) => from >= start && to <= stop)
      segments.push({ text: run.text.slice(from - at, to - at), style: run.style, mark, at: from })
    }
    at = end
  }
  return segments
}

function rangesOf(text: string, wanted: string): [number, number][] {
  const ranges: [number, number][] = []
  if (wanted === '') return ranges
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length))
    ranges.push([at, at + wanted.length])
  return ranges
}

/** Lines as a file or the clipboard holds them: ISO time, level, replica, node, message. */
export function toText(lines: LogLine[]): string {
  return lines
    .map((line) => {
      const src = line.src ? ` [${line.src}]` : ''
      const node = line.node ? ` (${lineNodeText(line.node)})` : ''
      return `${new Date(logTime(line.ts)).toISOString()} ${line.level}${src}${node} ${stripAnsi(line.msg)}\n`
    })
    .join('')
}

const two = (part: number) => String(part).padStart(2, '0')

/** The time of a line in the reader's zone: '14:02:03.233'. */
export function formatLogTime(ts: number | string): string {
  const at = new Date(logTime(ts))
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${String(at.getMilliseconds()).padStart(3, '0')}`
}
