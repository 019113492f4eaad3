import { copyFile, lchown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { makeFolders, type Paths } from '../paths.ts'
import { endRemoval, removeTree } from '../files/remove.ts'
import { linkTree, type Owner, type Tree } from './tree.ts'
import { isThere, readManifest, writeManifest } from './user.files.ts'

const Record = z.record(z.string(), z.string())
const Noted = z.object({
  /** The set that was put in, as the store names it; '' for an empty one. */
  key: z.string(),
  /** The list of the platform then, and what was wanted in all. */
  palette: Record,
  modules: Record,
  /** The user directory's notes for the same modules where they differ: the editor notes ranges. */
  agreed: z.optional(Record),
  nodeMajor: z.number(),
  noderedMajor: z.number(),
  scripts: z.boolean(),
})
/** The modules an instance has, or will have, noted beside its user directory. */
export type Noted = z.infer<typeof Noted>

/** The folders of a swap. All are out of the instance's reach, so that it cannot lead the platform astray. */
function pathsOf({ folder, userDir }: Paths) {
  const next = join(folder, 'modules.next')
  return {
    note: join(folder, 'modules.json'),
    making: join(folder, 'modules.making'),
    next,
    nextTree: join(next, 'node_modules'),
    nextNote: join(next, 'modules.json'),
    old: join(folder, 'modules.old'),
    current: join(userDir, 'node_modules'),
    userLock: join(userDir, 'package-lock.json'),
  }
}

/** Undefined also for one that was cut off by a full disk. */
async function readNote(path: string): Promise<Noted | undefined> {
  try {
    return Noted.safeParse(JSON.parse(await readFile(path, 'utf8'))).data
  } catch {
    return undefined
  }
}

/** Reads the modules the instance has, and those ready for its next start. */
export async function readNotes(paths: Paths): Promise<{ has: Noted | undefined; next: Noted | undefined }> {
  const at = pathsOf(paths)
  return { has: await readNote(at.note), next: await readNote(at.nextNote) }
}

export async function writeNote(paths: Paths, note: Noted): Promise<void> {
  const { note: path } = pathsOf(paths)
  makeFolders(paths)
  await writeFile(`${path}.tmp`, JSON.stringify(note), { mode: 0o600 })
  await rename(`${path}.tmp`, path)
}

/** Puts a set beside the one that may be in use. It lies ready only when it is complete. */
export async function stage(
  paths: Paths,
  note: Noted,
  set: { folder: string; tree: Tree } | undefined,
  owner: Owner | undefined,
): Promise<void> {
  const at = pathsOf(paths)
  await discard(paths)
  makeFolders(paths)
  try {
    await make(at.making, note, set, owner)
    await rename(at.making, at.next)
  } catch (error) {
    await removeTree(at.making)
    throw error
  }
}

async function make(
  folder: string,
  note: Noted,
  set: { folder: string; tree: Tree } | undefined,
  owner: Owner | undefined,
): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  const target = join(folder, 'node_modules')
  const lock = join(folder, 'package-lock.json')
  if (set) {
    await linkTree(join(set.folder, 'node_modules'), set.tree, target, owner)
    await copyFile(join(set.folder, 'package-lock.json'), lock)
    if (owner) await lchown(lock, owner.uid, owner.gid)
  } else {
    await mkdir(target, { mode: 0o755 })
    if (owner) await lchown(target, owner.uid, owner.gid)
  }
  await writeFile(join(folder, 'modules.json'), JSON.stringify(note), { mode: 0o600 })
}

/** Removes what lies ready, was begun or taken out. */
export async function discard(paths: Paths): Promise<void> {
  const { making, next, old } = pathsOf(paths)
  for (const path of [making, next, old]) await removeTree(path)
}

/**
 * Leads a swap that a kill has interrupted to an end: back while the old modules can be put back, forward when the
 * new ones are in. Nothing was interrupted: no effect.
 */
export async function resume(paths: Paths, owner: Owner | undefined): Promise<void> {
  const at = pathsOf(paths)
  await removeTree(at.making)
  for (const path of [at.next, at.old]) await endRemoval(path)
  const isIn = (await isThere(at.nextNote)) && !(await isThere(at.nextTree))
  if (isIn) return swap(paths, owner)
  if (!(await isThere(at.old))) return
  if (await isThere(at.current)) await removeTree(at.old)
  else await rename(at.old, at.current)
}

/**
 * Puts in what lies ready; the instance must not run. Every step can be repeated, so after a kill at any point
 * the same call ends it.
 */
export async function swap(paths: Paths, owner: Owner | undefined): Promise<void> {
  const at = pathsOf(paths)
  const note = await readNote(at.nextNote)
  if (!note) return
  if (await isThere(at.nextTree)) {
    if (await isThere(at.current)) {
      await removeTree(at.old)
      await rename(at.current, at.old)
    }
    await rename(at.nextTree, at.current)
  }
  const { rest = {} } = (await readManifest(paths.userDir)) ?? {}
  await writeManifest({ dependencies: note.modules, rest }, { userDir: paths.userDir, beside: at.next, owner })
  const lock = join(at.next, 'package-lock.json')
  if (await isThere(lock)) await rename(lock, at.userLock)
  else if (note.key === '') await rm(at.userLock, { force: true })
  await writeNote(paths, note)
  await discard(paths)
}
