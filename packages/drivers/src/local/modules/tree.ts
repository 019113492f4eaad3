import { constants, lchownSync, linkSync, mkdirSync } from 'node:fs'
import { chmod, copyFile, readdir, readlink, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'

/** The entries of a folder, relative to it; noted once so that nobody has to look again. */
export interface Tree {
  folders: string[]
  files: string[]
  /** Symbolic links: where, and what they say. */
  links: [string, string][]
}

/** Owner of new folders. */
export interface Owner {
  uid: number
  gid: number
}

/** npm rewrites this one in place, which would change it for every instance. */
const copied = /(?:^|\/)\.package-lock\.json$/
/** Linked at a stretch: some two milliseconds. */
const stretch = 100

/** Takes the right to write from every file, and notes what there is. */
export async function sealTree(root: string): Promise<Tree> {
  const tree: Tree = { folders: [], files: [], links: [] }
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const full = join(entry.parentPath, entry.name)
    const path = full.slice(root.length + 1)
    if (entry.isDirectory()) tree.folders.push(path)
    else if (entry.isSymbolicLink()) tree.links.push([path, await readlink(full)])
    else if (entry.isFile()) {
      const { mode } = await stat(full)
      await chmod(full, mode & 0o111 ? 0o555 : 0o444)
      tree.files.push(path)
    }
  }
  // Parents before what is in them.
  tree.folders.sort()
  return tree
}

/**
 * Puts the same tree somewhere else: folders of its own, files shared. Where files cannot be shared (another disk,
 * too many links) they are copied. The target must not exist.
 */
export async function linkTree(from: string, tree: Tree, to: string, owner?: Owner): Promise<void> {
  mkdirSync(to, { recursive: true, mode: 0o755 })
  for (const folder of tree.folders) mkdirSync(join(to, folder), { mode: 0o755 })
  const toCopy: string[] = []
  for (const [index, file] of tree.files.entries()) {
    if (index % stretch === stretch - 1) await breathe()
    if (copied.test(file) || !tryLink(join(from, file), join(to, file))) toCopy.push(file)
  }
  for (const file of toCopy) {
    await copyFile(join(from, file), join(to, file), constants.COPYFILE_FICLONE)
    await chmod(join(to, file), copied.test(file) ? 0o644 : 0o444 | ((await stat(join(from, file))).mode & 0o111))
    if (owner) lchownSync(join(to, file), owner.uid, owner.gid)
  }
  for (const [path, target] of tree.links) await symlink(target, join(to, path))
  if (!owner) return
  const own = ['', ...tree.folders, ...tree.links.map(([path]) => path)]
  for (const path of own) lchownSync(join(to, path), owner.uid, owner.gid)
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false
    throw error
  }
}

/** Does a link lead to something in its own tree? Those that npm makes for programs do. */
export const staysInside = ([path, target]: [string, string]) =>
  !target.startsWith('/') && !join(dirname(path), target).startsWith('..')
