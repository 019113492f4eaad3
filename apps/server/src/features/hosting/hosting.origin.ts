import type { Driver } from '@app/drivers'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { adminCommand } from '../../program.ts'

/** Where a backup was made: a name of the machine and a folder on it. */
export const Provenance = z.object({ machine: z.string(), home: z.string() })
export type Provenance = z.infer<typeof Provenance>

export const provenanceHere = (home: string): Provenance => ({ machine: hostname(), home })

const fileOf = (home: string) => join(home, 'restored-from.json')

/** Remembers where a restored platform comes from. */
export function keepProvenance(home: string, origin: Provenance): void {
  writeFileSync(fileOf(home), JSON.stringify(origin), { mode: 0o600 })
}

/**
 * Why a restored platform must not run its flows: the one it comes from still runs them, as far as can be seen from
 * here. That is on this machine, where this user may read its home.
 * @returns the place in full: paths and process ids, for administrators alone.
 */
export function createOrigin({ home, driver }: { home: string; driver: Pick<Driver, 'livingIn'> }) {
  const file = fileOf(home)
  return (): string | undefined => {
    if (!existsSync(file)) return undefined
    const origin = Provenance.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
    if (!origin || origin.machine !== hostname() || origin.home === home) return undefined
    const pids = driver.livingIn?.(origin.home) ?? []
    if (pids.length === 0) return undefined
    return `The platform that this one was restored from still runs instances on this machine, from ${origin.home} (${pids.length === 1 ? 'process' : 'processes'} ${pids.slice(0, 5).join(', ')}), and the same flows would run twice. End them there with \`${adminCommand} stop-instances\`; these are started then. To run both, delete ${file}`
  }
}
