import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLocal, versions } from './local.harness.ts'
import { popular } from './popular.modules.ts'
import { attempt, type Outcome, tryModule } from './popular.trial.ts'

/*
 * Tries the modules that people use most on a real Node-RED. `npm run modules` writes what happened to docs/modules.md;
 * with names behind it only those are tried, and nothing is written.
 */
const chosen = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : popular
const local = await openLocal()
const rows: string[] = []
try {
  for (const name of names) {
    const found: Outcome[] = []
    for (const nodered of versions) {
      const outcome = await attempt(async () => JSON.stringify(await tryModule(local, nodered, name)))
      found.push(outcome.startsWith('{') ? (JSON.parse(outcome) as Outcome) : { version: '', said: outcome })
    }
    const version = found.find((one) => one.version !== '')?.version ?? ''
    const row = `| ${[name, version, ...found.map(({ said }) => said)].join(' | ')} |`
    process.stdout.write(`${row}\n`)
    rows.push(row)
  }
} finally {
  await local.close()
}

if (chosen.length === 0)
  replaceTable(
    join(import.meta.dirname, '../../../../docs/modules.md'),
    `| module | version | Node-RED ${versions[0]} | Node-RED ${versions[1]} |
|---|---|---|---|
${rows.join('\n')}
`,
  )

/** The table is the end of its page. */
function replaceTable(path: string, table: string): void {
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, text.indexOf('| module | version | Node-RED')) + table)
}
