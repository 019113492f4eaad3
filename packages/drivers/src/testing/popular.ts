import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Driver, InstanceSpec } from '../driver.ts'
import { askInstance, bearer, signIn } from './instance.http.ts'
import { openLocal, runs, versions } from './local.harness.ts'
import { popular } from './popular.modules.ts'

/*
 * Installs the modules that people use most with the palette manager of a real Node-RED, one instance each, then starts
 * the instance a second time on the list that the platform has noted, and a copy of it. `npm run modules` writes what
 * happened to docs/modules.md; with names behind it only those are tried, and nothing is written.
 */
interface Outcome {
  version: string
  said: string
}

type Local = Awaited<ReturnType<typeof openLocal>>

async function attempt(work: () => Promise<string>): Promise<string> {
  return work().catch((error: unknown) => (error as Error).message)
}

async function modulesIn(driver: Driver, id: string): Promise<Record<string, string>> {
  const endpoint = driver.endpoint(id)!
  const headers = { ...bearer(await signIn(endpoint)), accept: 'application/json' }
  const nodes = JSON.parse((await askInstance(endpoint, '/nodes', { headers })).text) as {
    module: string
    version: string
  }[]
  return Object.fromEntries(nodes.map(({ module, version }) => [module, version]))
}

async function startAgain({ driver }: Local, spec: InstanceSpec, name: string): Promise<string> {
  await driver.prepareModules(spec, () => {})
  await driver.stop(spec.id)
  await driver.start(spec)
  await runs(driver, spec.id)
  return (await modulesIn(driver, spec.id))[name] ? '' : 'Node-RED does not load it'
}

async function tryOn(local: Local, nodered: string, name: string): Promise<Outcome> {
  const one = local.spec(nodered)
  const copy = local.spec(nodered)
  const { driver } = local
  await driver.start(one)
  await runs(driver, one.id)
  const endpoint = driver.endpoint(one.id)!
  const answer = await askInstance(endpoint, '/nodes', {
    body: { module: name },
    headers: bearer(await signIn(endpoint)),
  })
  if (answer.status !== 200) {
    const { message = answer.text } = JSON.parse(answer.text) as { message?: string }
    await driver.remove(one.id)
    // The same module asked for in the settings tells more.
    const listed = await attempt(async () => {
      await driver.prepareModules({ ...one, modules: { [name]: '*' } }, () => {})
      return 'but the platform installs it'
    })
    await driver.remove(one.id)
    return { version: '', said: `the palette manager refuses it (${message.split('\n', 1)[0]}); ${listed}` }
  }
  const version = (await modulesIn(driver, one.id))[name] ?? ''
  const modules = { [name]: version }
  const again = await attempt(() => startAgain(local, { ...one, modules }, name))
  await driver.remove(one.id)
  const copied = await attempt(async () => {
    await driver.start({ ...copy, modules })
    await runs(driver, copy.id)
    return (await modulesIn(driver, copy.id))[name] ? '' : 'Node-RED does not load it'
  })
  await driver.remove(copy.id)
  const faults = [again && `second start: ${again}`, copied && `copy: ${copied}`].filter(Boolean)
  return { version, said: faults.length === 0 ? 'works' : faults.join('; ') }
}

const chosen = process.argv.slice(2)
const names = chosen.length > 0 ? chosen : popular
const local = await openLocal()
const rows: string[] = []
try {
  for (const name of names) {
    const found: Outcome[] = []
    for (const nodered of versions) {
      const outcome = await attempt(async () => JSON.stringify(await tryOn(local, nodered, name)))
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
