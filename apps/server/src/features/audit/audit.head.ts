import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'

/** Head of the chain that this server saw last. Outside the database: access to that alone cannot revert it. */
const SeenHead = z.object({ position: z.number(), seal: z.string() })
export type SeenHead = z.infer<typeof SeenHead>

const fileOf = (home: string) => join(home, 'audit-head.json')

/** Undefined when this server has sealed nothing yet, or the file is not readable as one of ours. */
export function readHead(home: string): SeenHead | undefined {
  try {
    return SeenHead.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')))
  } catch {
    return undefined
  }
}

/** Forgets it: what comes into the database now is another chain. */
export const forgetHead = (home: string): void => rmSync(fileOf(home), { force: true })

export function writeHead(home: string, head: SeenHead): void {
  const draft = `${fileOf(home)}.${process.pid}`
  writeFileSync(draft, JSON.stringify(head), { mode: 0o600 })
  renameSync(draft, fileOf(home))
}
