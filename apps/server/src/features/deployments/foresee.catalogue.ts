import type { Logger } from 'pino'
import * as z from 'zod'
import type { Clock } from '../../platform/clock.ts'
import type { ModuleNote } from './foresee.store.ts'

/** A catalogue as the palette of editors reads it. Of an entry only the types and the version are of interest. */
const Catalogue = z.object({
  modules: z.array(z.object({ id: z.string(), version: z.string(), types: z.array(z.string()).optional() })),
})

const keptMs = 24 * 3_600_000
const againMs = 10 * 60_000
const answerMs = 4_000
const bytesMax = 32 * 1024 * 1024

export type NodeCatalogue = (types: readonly string[]) => Promise<ModuleNote[]>

/**
 * Asks a catalogue of nodes which module has types that nobody of a team has noted. A type that several modules claim is
 * left out: which one is meant, nobody knows. Without an address, or an answer, it knows nothing.
 */
export function createNodeCatalogue({
  url,
  clock,
  log,
}: {
  url: string | undefined
  clock: Clock
  log: Logger
}): NodeCatalogue {
  let kept: Promise<Map<string, ModuleNote[]>> | undefined
  let until = 0

  async function fetched(): Promise<Map<string, ModuleNote[]>> {
    const answer = await fetch(url!, { signal: AbortSignal.timeout(answerMs) })
    const text = await answer.text()
    if (!answer.ok || text.length > bytesMax) throw new Error(`It answered ${answer.status}, ${text.length} characters`)
    const byType = new Map<string, ModuleNote[]>()
    for (const { id: name, version, types = [] } of Catalogue.parse(JSON.parse(text)).modules)
      for (const type of types) byType.set(type, [...(byType.get(type) ?? []), { name, version, types }])
    return byType
  }

  return async (types) => {
    if (url === undefined || types.length === 0) return []
    if (!kept || clock.now() >= until) {
      until = clock.now() + keptMs
      const before = kept
      kept = fetched().catch(async (error: unknown) => {
        log.warn({ err: error, url }, 'the catalogue of nodes cannot be read')
        until = clock.now() + againMs
        return before ?? new Map<string, ModuleNote[]>()
      })
    }
    const byType = await kept
    return types.flatMap((type) => {
      const homes = byType.get(type) ?? []
      return homes.length === 1 ? homes : []
    })
  }
}
