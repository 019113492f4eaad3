import { isMet, type Row, shown } from './report.ts'

const intro = `# Benchmarks

What \`npm run bench\` last measured and wrote here as a whole run. \`npm run bench -- <measure>…\` runs some of the
measures, \`--quick\` tries them on little data, \`--long\` measures with a hundred instances; none of these writes this page.
The same figures, with their units and targets apart, are in \`.cache/bench.json\` after a run, of a part of it in
\`.cache/bench-part.json\`, of a long one in \`.cache/bench-long.json\`.

CPU figures are the time of the server process, all its threads counted, divided by the requests: they depend less on
what else the machine does than times by the clock. Where two things are compared, they ran in turn in the same
minutes.`

/** The end of the page, which people write by hand. */
const byHand = /\n## What misses its target, and why\n[^]*$/

/**
 * The page of the documentation that holds the figures of a whole run. `machine` is told in its order; of the page
 * `before` stays why targets are missed.
 */
export function page(rows: readonly Row[], machine: Record<string, unknown>, before = ''): string {
  const kept = byHand.exec(before)?.[0] ?? ''
  const told = Object.entries(machine).map(([name, value]) => `- ${name}: ${String(value)}`)
  const lines = rows.map((row) => `| ${cells(row).map(escaped).join(' | ')} |`)
  const head =
    '| measure | figure | target | met | what was measured | on what | spread |\n|---|---|---|---|---|---|---|'
  return `${intro}\n\n## The machine\n\n${told.join('\n')}\n\n## The figures\n\n${head}\n${lines.join('\n')}\n${kept}`
}

function cells(row: Row): string[] {
  const met = isMet(row)
  return [
    row.name,
    `${shown(row.value)} ${row.unit}`,
    row.target ? `${row.target.is} ${shown(row.target.value)} ${row.unit}` : '',
    met === undefined ? '' : met ? 'yes' : '**no**',
    row.measured,
    row.data,
    row.note ?? '',
  ]
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
