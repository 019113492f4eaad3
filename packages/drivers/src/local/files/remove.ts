import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** Entries that are removed at a time. */
const atOnce = 64
/** Number of times something new may turn up in a folder that was just emptied. */
const refills = 1_000

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
/** Resolves to the code of the error, if it is one of these. */
async function failsWith(work: Promise<unknown>, ...codes: string[]): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!codes.includes(codeOf(error) ?? '')) throw error
    return codeOf(error)
  }
}

/**
 * Removes a file or folder whose contents belong to an instance, for good; nothing there: no effect. The platform may
 * delete what the instance may not, so nobody must be able to lead it elsewhere meanwhile: the folder is taken to where
 * only the platform gets, `<path>.removed`, and every folder in it is taken there too before it is opened. So no link
 * is followed, and no path grows with the depth of what flows have made. After a kill the same call goes on.
 * @throws Error when something goes on making files there.
 */
export async function removeTree(path: string): Promise<void> {
  const bin = `${path}.removed`
  const made = await failsWith(mkdir(bin, { mode: 0o700 }), 'EEXIST', 'ENOENT')
  if (made === 'ENOENT') return
  await failsWith(rename(path, join(bin, randomUUID())), 'ENOENT')
  let left = refills
  for (let names = await readdir(bin); names.length > 0; names = await readdir(bin))
    for (const name of names) {
      if (await dissolve(bin, name)) continue
      left -= 1
      if (left === 0) throw new Error(`Something goes on making files in ${path}`)
    }
  await rmdir(bin)
}

/** Ends a removal that a kill interrupted; none was begun: no effect. */
export async function endRemoval(path: string): Promise<void> {
  if ((await failsWith(lstat(`${path}.removed`), 'ENOENT')) === undefined) await removeTree(path)
}

/** Removes one entry of the bin, and puts the folders in it beside it. False when it was filled again meanwhile. */
async function dissolve(bin: string, name: string): Promise<boolean> {
  const path = join(bin, name)
  await letIn(path)
  const folder = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW).catch((error: unknown) => {
    if (codeOf(error) === 'ENOTDIR' || codeOf(error) === 'ELOOP') return undefined
    throw error
  })
  if (!folder) return unlink(path).then(() => true)
  try {
    const here = `/proc/self/fd/${folder.fd}`
    const names = await readdir(here)
    const take = async (one: string) => {
      const entry = `${here}/${one}`
      // Removes a folder's entry. One that is gone already was removed by somebody else.
      if ((await failsWith(unlink(entry), 'EISDIR', 'EPERM', 'ENOENT')) === undefined) return
      await letIn(entry)
      await failsWith(rename(entry, join(bin, randomUUID())), 'ENOENT')
    }
    for (let at = 0; at < names.length; at += atOnce) await Promise.all(names.slice(at, at + atOnce).map(take))
  } finally {
    await folder.close()
  }
  return (await failsWith(rmdir(path), 'ENOTEMPTY')) === undefined
}

/** Flows may take all rights from their folders, which stops everybody but root; then they are the platform's too. */
async function letIn(path: string): Promise<void> {
  if (process.getuid?.() === 0) return
  const found = await lstat(path).catch(() => undefined)
  if (found?.isDirectory()) await chmod(path, 0o700)
}
