import { openLocal, versions } from './local.harness.ts'
import { popularTable, readPopular, type Tried, writePopular } from './popular.table.ts'
import { attempt, type Outcome, tryModule } from './popular.trial.ts'

/*
 * Tries the modules that people use most on a real Node-RED. `npm run modules` keeps what happened in
 * popular.modules.json and docs/modules.md; with names behind it only those are tried, and nothing is written.
 */
const chosen = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : readPopular().map(({ module }) => module)
const local = await openLocal()
const tried: Tried[] = []
try {
  for (const name of names) {
    const found: [string, Outcome][] = []
    for (const nodered of versions) {
      const outcome = await attempt(async () => JSON.stringify(await tryModule(local, nodered, name)))
      const read = outcome.startsWith('{') ? (JSON.parse(outcome) as Outcome) : { version: '', said: outcome }
      found.push([nodered, read])
    }
    tried.push({
      module: name,
      version: found.find(([, { version }]) => version !== '')?.[1].version ?? '',
      outcomes: Object.fromEntries(found.map(([nodered, { said }]) => [nodered, said])) as Tried['outcomes'],
    })
    process.stdout.write(popularTable(tried.slice(-1)).split('\n').slice(2).join('\n'))
  }
} finally {
  await local.close()
}

if (chosen.length === 0) writePopular(tried)
