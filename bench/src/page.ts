import type { Kept, Section } from './kept.ts'
import { isMet, type Row, shown } from './report.ts'

const intro = `# Benchmarks

What \`npm run bench -- --write\` measured on a machine that did nothing else. It replaces the figures of the measures that it
ran, all or those that are named, in \`bench/figures.json\`, and writes this page from that file. Without \`--write\` the figures
are in \`.cache/bench.json\` alone; \`--quick\` tries the measures on little data, \`--long\` measures with a hundred instances.

CPU figures are the time of the server process, all its threads counted, divided by the requests: they depend less on
what else the machine does than times by the clock. Where two things are compared, they ran in turn in the same
minutes. The machine is a virtual one, faster and slower by turns: the last column has the day and how long a fixed computation on all
cores took right before, 1.0 s at its best. Figures compare with each other within one measure, with others only beside it.`

/** The end of the page, which people write by hand. */
const byHand = /\n## What misses its target, and why\n[^]*$/

/** The page of the documentation that holds the figures. Of the page `before` stays why targets are missed. */
export function page({ machine, sections }: Kept, before = ''): string {
  const kept = byHand.exec(before)?.[0] ?? ''
  const told = Object.entries(machine).map(([name, value]) => `- ${name}: ${String(value)}`)
  const lines = sections.flatMap((section) =>
    section.rows.map((row) => `| ${cells(row, section).map(escaped).join(' | ')} |`),
  )
  const head =
    '| measure | figure | target | met | what was measured | on what | spread | when |\n|---|---|---|---|---|---|---|---|'
  return `${intro}\n\n## The machine\n\n${told.join('\n')}\n\n## The figures\n\n${head}\n${lines.join('\n')}\n${kept}`
}

function cells(row: Row, { measuredOn, speedSeconds }: Section): string[] {
  const met = isMet(row)
  return [
    row.name,
    `${shown(row.value)} ${row.unit}`.trim(),
    row.target ? `${row.target.is} ${shown(row.target.value)} ${row.unit}`.trim() : '',
    met === undefined ? '' : met ? 'yes' : '**no**',
    row.measured,
    row.data,
    row.note ?? '',
    `${measuredOn}, ${speedSeconds.toFixed(2)} s`,
  ]
}

const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
