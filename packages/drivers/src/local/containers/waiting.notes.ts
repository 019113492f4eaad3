import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Config } from '../config.ts'
import { isInstanceId } from '../paths.ts'
import { identityOf } from '../process/identity.ts'
import { writeWhole } from '../record.store.ts'

const Note = z.object({ pid: z.int(), identity: z.string(), socketDir: z.string() })
type Note = z.infer<typeof Note>
const ending = '.json'
const demand = 'demand'

/**
 * Notes of the containers that wait, by the names of their folders: each names the server that made it, and is there before
 * anything else of it. So the next server knows what one that was killed has left.
 */
export function createNotes({ warmDir }: Pick<Config, 'warmDir'>) {
  const fileOf = (key: string) => join(warmDir, key + ending)
  return {
    write(key: string, socketDir: string): void {
      const { pid } = process
      writeWhole(fileOf(key), JSON.stringify({ pid, identity: identityOf(pid)!, socketDir } satisfies Note))
    },
    drop: (key: string): void => rmSync(fileOf(key), { force: true }),
    /** `isOwned`: the server runs that made it. */
    all: (): Map<string, { isOwned: boolean; socketDir?: string }> =>
      new Map(
        namesIn(warmDir)
          .filter((name) => name.endsWith(ending))
          .map((name) => name.slice(0, -ending.length))
          .filter((key) => key !== demand && isInstanceId(key))
          .map((key) => [key, read(fileOf(key))]),
      ),
  }
}

function read(file: string): { isOwned: boolean; socketDir?: string } {
  try {
    const { pid, identity, socketDir } = Note.parse(JSON.parse(readFileSync(file, 'utf8')))
    return { isOwned: identityOf(pid) === identity, socketDir }
  } catch {
    // Cut off by the end of its server.
    return { isOwned: false }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
