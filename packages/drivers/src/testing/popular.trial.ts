import type { Driver, InstanceSpec } from '../driver.ts'
import { askInstance, bearer, signIn } from './instance.http.ts'
import { type openLocal, runs } from './local.harness.ts'

/** The result of trying a module; `said` is `works`, or names the faults. */
export interface Outcome {
  version: string
  said: string
}

type Local = Awaited<ReturnType<typeof openLocal>>

/** The result of `work`, or the message of its failure. */
export async function attempt(work: () => Promise<string>): Promise<string> {
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

/**
 * Installs a module with the palette manager of a running instance, starts the instance a second time on the list that
 * the platform keeps, and then a copy, for which the platform installs it.
 */
export async function tryModule(local: Local, nodered: string, name: string): Promise<Outcome> {
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
