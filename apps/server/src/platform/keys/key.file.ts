import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

const folderOf = (home: string) => join(home, 'keys')
/** Beside the database, never inside. */
export const keyFileOf = (home: string): string => join(folderOf(home), 'master.key')

/** The key in the file of this home; undefined without such a file. @throws Error when it is damaged. */
export function readKeyFile(home: string): Buffer | undefined {
  const file = keyFileOf(home)
  if (!existsSync(file)) return undefined
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== 32) throw new Error(`The master key in ${file} is damaged: it must be 32 bytes in base64`)
  return key
}

/** The key in the file of this home, made when there is none, and readable by the owner only. */
export function makeKeyFile(home: string): Buffer {
  const file = keyFileOf(home)
  if (!existsSync(file)) {
    const draft = writeDraft(home, randomBytes(32))
    try {
      // A key that is only half written would lose every secret: it gets its name when it is on the disk.
      linkSync(draft, file)
    } catch (error) {
      // Another server was faster; its key counts.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  }
  return readKeyFile(home)!
}

/** Puts another key in the place of the one in the file, whole or not at all. */
export function replaceKeyFile(home: string, key: Buffer): void {
  renameSync(writeDraft(home, key), keyFileOf(home))
}

function writeDraft(home: string, key: Buffer): string {
  mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
  const draft = `${keyFileOf(home)}.${process.pid}`
  writeFileSync(draft, key.toString('base64'), { mode: 0o600, flush: true })
  return draft
}
