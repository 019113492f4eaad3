import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../driver.ts'
import { type Engine, EngineError, unless } from '../containers/engine.ts'
import { labels } from '../containers/shared.ts'
import type { Tasks } from './tasks.view.ts'

const lookMs = 100
/** Swarm kills after its grace, and a machine may have much to do. */
const endMs = 30_000

interface Service {
  ID: string
  CreatedAt: string
  Spec: { Name: string; Labels: Record<string, string> }
}

/**
 * The services of instances with their secrets. A service has the name of its process, and Swarm keeps names unique: not
 * even two servers make two of one process.
 */
export function createServices(engine: Engine, family: string, tasks: Tasks) {
  const find = (name: string) => unless(engine.ask<Service>('GET', `/services/${name}`), 404)

  /**
   * Removes a service with its secret; there is none: no effect. With `launch` only that of this launch: another server may
   * have made one of the same name meanwhile.
   */
  async function remove(name: string, launch?: string): Promise<void> {
    const found = launch === undefined ? undefined : await find(name)
    if (found && found.Spec.Labels[labels.launch] !== launch) return
    await unless(engine.ask('DELETE', `/services/${name}`), 404)
    await unless(engine.ask('DELETE', `/secrets/${name}`), 404)
  }

  /**
   * Ends whatever there is of a process, and waits until every machine that can be asked has ended it. @throws DriverError
   * `not_gone` when one does not.
   */
  async function clear(name: string, key: string): Promise<void> {
    await remove(name)
    for (const until = Date.now() + endMs; ; await delay(lookMs)) {
      const [first] = await tasks.left(key)
      if (!first) return
      if (Date.now() > until)
        throw new DriverError('not_gone', `The process before has not ended on ${first.machine ?? 'its machine'} yet`)
    }
  }

  async function secret(name: string, data: string): Promise<string> {
    const body = { Name: name, Data: Buffer.from(data).toString('base64'), Labels: { [labels.home]: family } }
    return (await engine.ask<{ ID: string }>('POST', '/secrets/create', { body })).ID
  }

  return {
    remove,
    clear,

    /** Makes a service; `bodyOf` gets the id of the secret that holds `data`. */
    async create(name: string, data: string, bodyOf: (secret: string) => object): Promise<void> {
      const body = bodyOf(await secret(name, data))
      await engine.ask('POST', '/services/create', { body }).catch((error: unknown) => {
        if (!(error instanceof EngineError) || error.status !== 409) throw error
        throw new DriverError('not_alone', 'Another server is starting this instance just now', { cause: error })
      })
    },

    /** The services of this home, with since when each exists, and its key. */
    async all(): Promise<{ name: string; key: string; launch: string; createdAt: number }[]> {
      const query = { filters: JSON.stringify({ label: [`${labels.home}=${family}`] }) }
      const found = await engine.ask<Service[]>('GET', '/services', { query })
      return found.map(({ CreatedAt, Spec: { Name, Labels } }) => ({
        name: Name,
        key: Labels[labels.process] ?? '',
        launch: Labels[labels.launch] ?? '',
        createdAt: Date.parse(CreatedAt),
      }))
    },
  }
}
