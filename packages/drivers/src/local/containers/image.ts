import { DriverError, type Report } from '../../driver.ts'
import { createSharedWork } from '../stacks/shared.work.ts'
import { type Engine, EngineError, unless } from './engine.ts'

interface Pulled {
  error?: string
  status?: string
  id?: string
}

/** The image that containers of instances are made of. The stack, its Node.js and the runtime are put into each. */
export function createImage(engine: Engine, name: string) {
  const shared = createSharedWork<void>()

  async function pull(report: Report): Promise<void> {
    report({ text: `Fetching the image ${name}` })
    const layers = new Map<string, boolean>()
    // With a tag or digest in its name; without, the engine would fetch all there are.
    const fromImage = /[:@][^/]+$/.test(name) ? name : `${name}:latest`
    for await (const line of engine.lines('POST', '/images/create', { query: { fromImage } })) {
      const { error, status = '', id } = line as Pulled
      if (error !== undefined) throw new EngineError(500, error)
      if (id === undefined || !/^(Pulling fs|Pull complete|Already exists)/.test(status)) continue
      layers.set(id, !status.startsWith('Pulling'))
      const done = [...layers.values()].filter(Boolean).length
      report({ text: `Fetching the image ${name}`, done, total: layers.size })
    }
  }

  return {
    name,
    /** Fetches the image unless it is there, and returns its id. @throws DriverError with a sentence. */
    async ensure(report: Report = () => {}): Promise<string> {
      const look = () => engine.ask<{ Id: string }>('GET', `/images/${name}/json`)
      const found = await unless(look(), 404)
      if (found) return found.Id
      await shared(name, report, pull).catch((cause: unknown) => {
        if (!(cause instanceof EngineError)) throw cause
        throw new DriverError('image_missing', `The image ${name} cannot be fetched: ${cause.message}`, { cause })
      })
      return (await look()).Id
    },
  }
}
