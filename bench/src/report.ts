import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** One measured figure. */
export interface Row {
  name: string
  /** The exact subject of the measurement. */
  measured: string
  /** On which data. */
  data: string
  value: number
  unit: string
  /** The target; absent for rows that have none. */
  target?: { is: 'at most' | 'at least' | 'below'; value: number }
  /** The spread, or what else one should know. */
  note?: string
}

/** Does the figure reach its target? Undefined without one. */
export function isMet({ value, target }: Row): boolean | undefined {
  if (!target) return undefined
  if (target.is === 'at least') return value >= target.value
  return target.is === 'below' ? value < target.value : value <= target.value
}

/** The rows as an aligned text table with a heading; below each what was measured, and on what data. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    `${shown(row.value)} ${row.unit}`,
    row.target ? `${row.target.is} ${shown(row.target.value)}` : '',
    verdict(row),
    row.note ?? '',
  ])
  const lines = [['measure', 'value', 'target', 'met', 'note'], ...cells]
  const widths = lines[0]!.map((_cell, column) => Math.max(...lines.map((line) => line[column]!.length)))
  const [heading, ...aligned] = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return [heading, ...aligned.flatMap((line, n) => [line, `    ${rows[n]!.measured}; on ${rows[n]!.data}`])].join('\n')
}

/** Writes the rows, each with its verdict, and the machine they were measured on. */
export function writeJson(file: string, rows: readonly Row[], machine: Record<string, unknown>): void {
  mkdirSync(dirname(file), { recursive: true })
  const report = { machine, rows: rows.map((row) => ({ ...row, met: isMet(row) ?? null })) }
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
}

/** Three digits that count. */
export function shown(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)))
}

function verdict(row: Row): string {
  const met = isMet(row)
  if (met === undefined) return '–'
  return met ? 'yes' : 'NO'
}
