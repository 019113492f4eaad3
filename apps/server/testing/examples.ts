import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildRuntime } from '../../../tools/build/node-build.ts'
import { examplesIn, tryExamples, type Tried } from './examples.try.ts'
import { stacksDir } from './homes.ts'
import { openRealPlatform } from './real.platform.ts'

/*
 * Imports the example flows of Node-RED and of popular modules into real instances, and notes which of them run for ten
 * seconds. `npm run examples` writes the result of each to docs/modules.md; with names of modules behind it only those
 * are tried.
 */
const versions = ['4.1.15', '5.0.7'] as const
const core = 'node-red'
/** Popular modules whose packages have examples. */
const popular = [
  'node-red-contrib-bigtimer',
  'node-red-contrib-cron-plus',
  'node-red-contrib-home-assistant-websocket',
  'node-red-contrib-image-output',
  'node-red-contrib-moment',
  'node-red-contrib-mongodb4',
  'node-red-contrib-mssql-plus',
  'node-red-contrib-oauth2',
  'node-red-contrib-queue-gate',
  'node-red-contrib-sun-position',
  'node-red-contrib-telegrambot',
  'node-red-contrib-web-worldmap',
]
const run = promisify(execFile)

/** The folder of the examples of a module as it is published, and its version. */
async function published(name: string, folder: string) {
  const { stdout } = await run('npm', ['pack', name, '--json', '--silent', '--pack-destination', folder])
  const [packed] = JSON.parse(stdout) as { filename: string; version: string }[]
  const { filename, version } = packed!
  await run('tar', ['xzf', join(folder, filename.replace('@', '').replace('/', '-')), '-C', folder])
  return { folder: join(folder, 'package/examples'), version }
}

/** One cell of the table: how many ended how, with what was said. */
function cell({ outcomes }: Tried): string {
  const parts = (['runs', 'runs with errors', 'does not run'] as const).flatMap((ended) => {
    const all = outcomes.filter((one) => one.ended === ended)
    if (all.length === 0) return []
    const said = [...new Set(all.map((one) => one.said))].filter((one) => one !== '')
    const more = said.length > 3 ? `; and ${said.length - 3} more` : ''
    return said.length === 0 ? `${all.length}` : `${ended}: ${all.length} (${said.slice(0, 3).join('; ')}${more})`
  })
  return parts.join('; ').replaceAll('|', '\\|')
}

/** Writes the row of a module into the table, in the place of an earlier one. */
async function write(row: string): Promise<void> {
  const path = join(import.meta.dirname, '../../../docs/modules.md')
  const text = await readFile(path, 'utf8')
  const start = text.indexOf('| module | version | offered |')
  const end = text.indexOf('\n\n', start)
  const nameIn = (one: string) => one.split(' | ', 1)[0]!.slice(2)
  const earlier = text.slice(start, end).split('\n').slice(2)
  const rows = [...earlier.filter((one) => nameIn(one) !== nameIn(row)), row]
  const head = `| module | version | offered | examples | run on Node-RED ${versions[0]} | run on Node-RED ${versions[1]} |`
  const table = [head, '|---|---|---|---|---|---|', ...rows.toSorted((a, b) => (nameIn(a) < nameIn(b) ? -1 : 1))]
  await writeFile(path, `${text.slice(0, start)}${table.join('\n')}${text.slice(end)}`)
}

const chosen = process.argv.slice(2)
await buildRuntime()
const platform = await openRealPlatform({ steadySeconds: 10 })
try {
  for (const name of chosen.length > 0 ? chosen : [core, ...popular]) {
    const folder = await mkdtemp(join(tmpdir(), 'forge-examples-'))
    const from = name === core ? undefined : await published(name, folder)
    const cells: string[] = []
    let [count, offered] = [0, '']
    for (const nodered of versions) {
      const examples = await examplesIn(
        from?.folder ?? join(stacksDir, nodered, 'node_modules/@node-red/nodes/examples'),
      )
      const tried = await tryExamples(platform, nodered, examples, from && { name, version: from.version })
      count = examples.length
      offered = from ? (tried.offered ? 'yes' : 'no') : ''
      cells.push(cell(tried))
    }
    const row = `| ${[name, from?.version ?? '', offered, count, ...cells].join(' | ')} |`
    await write(row)
    process.stdout.write(`${row}\n`)
    await rm(folder, { recursive: true, force: true })
  }
} finally {
  await platform.close()
}
