import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { identityOf } from './identity.ts'

const Record = z.object({ pid: z.int(), identity: z.string() })

/**
 * Processes of instances that run from a home, by pid, whoever's it is: those whose records this user may read. What
 * cannot be read is not seen.
 */
export function livingIn(home: string): number[] {
  const instances = join(home, 'instances')
  return namesIn(instances).flatMap((id) =>
    namesIn(join(instances, id))
      .filter((name) => /^record(\.\d)?\.json$/.test(name))
      .flatMap((name) => livingOf(join(instances, id, name))),
  )
}

function livingOf(path: string): number[] {
  try {
    const { pid, identity } = Record.parse(JSON.parse(readFileSync(path, 'utf8')))
    return identityOf(pid) === identity ? [pid] : []
  } catch {
    return []
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
