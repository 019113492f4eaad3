import { readFileSync, rmSync } from 'node:fs'
import * as z from 'zod/mini'
import type { InstanceStatus } from '../../driver.ts'
import type { Paths } from '../paths.ts'
import { writeWhole } from '../record.store.ts'

const Schema = z.object({
  identity: z.string(),
  reason: z.string(),
  restart: z.object({ crashes: z.number(), at: z.number(), safe: z.boolean() }),
})

/** The last crash of an instance: of which process, why, and what follows. It stays until a person starts the instance. */
export type CrashNote = z.infer<typeof Schema>

export const writeCrash = (paths: Paths, note: CrashNote) => writeWhole(paths.crash, JSON.stringify(note))
export const dropCrash = (paths: Paths) => rmSync(paths.crash, { force: true })

export function readCrash(paths: Paths): CrashNote | undefined {
  try {
    return Schema.safeParse(JSON.parse(readFileSync(paths.crash, 'utf8'))).data
  } catch {
    return undefined
  }
}

export const crashStatus = ({ reason, restart }: CrashNote): InstanceStatus => ({ state: 'crashed', reason, restart })
