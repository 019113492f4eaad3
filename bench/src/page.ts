import { isMet, type Row, shown } from './report.ts'

const intro = `# Benchmarks

What \`npm run bench\` last measured and wrote here as a whole run. \`npm run bench -- <measure>…\` runs some of the
measures, \`--quick\` tries them on little data; neither writes this page. The same figures, with their units and
targets apart, are in \`.cache/bench.json\` after a run.

CPU figures are the time of the server process, all its threads counted, divided by the requests: they depend less on
what else the machine does than times by the clock. Where two things are compared, they ran in turn in the same
minutes.`

/** The page of the documentation that holds the figures of a whole run. `machine` is told in its order. */
export function page(rows: readonly Row[], machine: Record<string, unknown>): string {
  const told = Object.entries(machine).map(([name, value]) => `- ${name}: ${String(value)}`)
  const lines = rows.map((row) => `| ${cells(row).map(escaped).join(' | ')} |`)
  const head =
    '| measure | figure | target | met | what was measured | on what | spread |\n|---|---|---|---|---|---|---|'
  return `${intro}\n\n## The machine\n\n${told.join('\n')}\n\n## The figures\n\n${head}\n${lines.join('\n')}\n`
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
