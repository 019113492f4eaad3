import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { breachesIn, ownersIn } from './tables.rules.ts'

// Fails when a feature writes or reads a table that another owns: see tables.rules.ts.
const src = join(import.meta.dirname, '../../apps/server/src')
const files = globSync('**/*.ts', { cwd: src, exclude: (path) => path.endsWith('.test.ts') }).map((path) => ({
  path,
  text: readFileSync(join(src, path), 'utf8'),
}))
const owners = ownersIn(files)
const breaches = breachesIn(files, owners)
for (const { path, line, sentence } of breaches) console.error(`apps/server/src/${path}:${line} ${sentence}`)
console.log(`${owners.size} tables, each written by one feature`)
process.exitCode = breaches.length > 0 ? 1 : 0
