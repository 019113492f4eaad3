import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureStacks } from '../../tools/build/stacks.ts'
import { buildAll } from '../../tools/build/build.ts'
import { freshCopy, sizes } from './data.ts'
import type { Measure } from './measure.ts'
import { auditQuery } from './measures/audit-query.ts'
import { backupRestore } from './measures/backup-restore.ts'
import { createMany } from './measures/create-many.ts'
import { auditSearch } from './measures/audit-search.ts'
import { deploy } from './measures/deploy.ts'
import { deviceAgent } from './measures/device-agent.ts'
import { devices } from './measures/devices.ts'
import { containers } from './measures/containers.ts'
import { databases } from './measures/databases.ts'
import { failover } from './measures/failover.ts'
import { eventStreams } from './measures/event-streams.ts'
import { firstImport } from './measures/first-import.ts'
import { flowDrawing } from './measures/flow-drawing.ts'
import { haKill } from './measures/ha-kill.ts'
import { instanceIdle } from './measures/instance-idle.ts'
import { instanceMany } from './measures/instance-many.ts'
import { instanceOutlive } from './measures/instance-outlive.ts'
import { instanceRestart } from './measures/instance-restart.ts'
import { instanceModules } from './measures/instance-modules.ts'
import { instanceStart } from './measures/instance-start.ts'
import { instanceWake } from './measures/instance-wake.ts'
import { library } from './measures/library.ts'
import { memory } from './measures/memory.ts'
import { newcomer } from './measures/newcomer.ts'
import { proxy } from './measures/proxy.ts'
import { pushMessages } from './measures/push-messages.ts'
import { pushUnderLoad } from './measures/push-under-load.ts'
import { requests } from './measures/requests.ts'
import { serverRestart } from './measures/server-restart.ts'
import { severalServers } from './measures/several-servers.ts'
import { signInPage } from './measures/sign-in-page.ts'
import { signIns } from './measures/sign-ins.ts'
import { start } from './measures/start.ts'
import { teamPage } from './measures/team-page.ts'
import { watched } from './measures/watched.ts'
import { keep, merged, readKept, type Section } from './kept.ts'
import { page } from './page.ts'
import { endBroker } from './processes.ts'
import { table, writeJson } from './report.ts'
import { speed } from './speed.ts'

const cache = join(import.meta.dirname, '../../.cache')
const measures: Record<string, Measure> = {
  requests,
  'audit-query': auditQuery,
  'team-page': teamPage,
  'flow-drawing': flowDrawing,
  'sign-in-page': signInPage,
  deploy,
  'event-streams': eventStreams,
  library,
  'audit-search': auditSearch,
  'sign-ins': signIns,
  start,
  memory,
  proxy,
  'instance-start': instanceStart,
  'instance-modules': instanceModules,
  'first-import': firstImport,
  'instance-restart': instanceRestart,
  'instance-wake': instanceWake,
  'instance-many': instanceMany,
  'create-many': createMany,
  'instance-outlive': instanceOutlive,
  'push-under-load': pushUnderLoad,
  'push-messages': pushMessages,
  'ha-kill': haKill,
  'server-restart': serverRestart,
  'several-servers': severalServers,
  containers,
  failover,
  databases,
  'instance-idle': instanceIdle,
  watched,
  devices,
  'device-agent': deviceAgent,
  'backup-restore': backupRestore,
  newcomer,
}
/** With `--long`: a hundred instances, which take a quarter of an hour. */
const longMeasures = ['instance-many', 'instance-idle', 'instance-outlive']

/** Measures that make all their data themselves. */
const ownData = new Set(['newcomer', 'watched'])

const { values, positionals } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !(name in measures))
if (unknown !== undefined) {
  console.error(`There is no measure "${unknown}"; the measures are ${Object.keys(measures).join(', ')}.`)
  process.exit(1)
}
if (values.write && (values.quick || values.long)) {
  console.error('Only figures of the full data and the usual number of instances are written into the documentation.')
  process.exit(1)
}
const usual = values.long ? longMeasures : Object.keys(measures)
const chosen = positionals.length > 0 ? positionals : usual
const file = join(cache, `bench${values.long ? '-long' : ''}.json`)

const needsLittle = values.quick || chosen.every((name) => ownData.has(name))
const wanted = sizes[needsLittle ? 'quick' : values.long ? 'long' : 'full']
await ensureStacks()
await buildAll()
console.log('Preparing the data …')
const { home, data } = await freshCopy(wanted)
linkStacks(home)
const auditData = `${wanted.auditRows} audit entries of ${wanted.teams} teams, ${wanted.ownAuditRows} of them in the measured one`
const machine = {
  processor: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  'memory in MB': Math.round(totalmem() / 1024 ** 2),
  kernel: release(),
  'Node.js': process.version,
}
const sections: Section[] = []
const rows = () => sections.flatMap((section) => section.rows)
try {
  for (const measure of chosen) {
    const speedSeconds = await speed()
    console.log(`Measuring ${measure} …`)
    const measured = await measures[measure]!({ home, data, quick: values.quick, auditData })
    sections.push({ measure, measuredOn: new Date().toISOString().slice(0, 10), speedSeconds, rows: measured })
    // Figures measured so far are kept even when the next measure fails.
    if (!values.quick) writeJson(file, rows(), machine)
    if (values.write) writeDown()
  }
} finally {
  await endBroker(home)
  rmSync(home, { recursive: true, force: true })
}
console.log(`\n${table(rows())}`)
console.log(values.quick ? 'Not written: these figures are of too little data.' : `Written: ${file}`)

/** Puts the figures in the place of the former ones of their measures, and writes the page from all. */
function writeDown(): void {
  const figures = join(import.meta.dirname, '../figures.json')
  const kept = { machine, sections: merged(readKept(figures).sections, sections, Object.keys(measures)) }
  keep(figures, kept)
  const docs = join(import.meta.dirname, '../../docs/benchmarks.md')
  writeFileSync(docs, page(kept, readFileSync(docs, 'utf8')))
}

/** The Node-RED versions installed for the tests, so that no row waits for npm. */
function linkStacks(to: string): void {
  const from = join(cache, 'stacks')
  if (!existsSync(join(to, 'stacks'))) symlinkSync(from, join(to, 'stacks'))
  if (readdirSync(join(to, 'stacks')).length === 0) throw new Error(`No Node-RED in ${from}`)
}
