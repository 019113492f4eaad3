import { contextFiles } from '@app/contract/instance-link.constants'
import { constants } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InstanceFile, StoredFile } from '../../driver.ts'
import { checkInside } from '../../inside.ts'
import { makeFolders, type Paths } from '../paths.ts'
import { removeTree } from './remove.ts'

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants
const deepest = 40
const pieceBytes = 64 * 1024
const blockBytes = 512
/** The most a file may claim beyond its size on disk. A program can name any length, and reading that never ends. */
const holesMax = 1024 * 1024 * 1024
/** Modules are fetched again by the list in package.json; the other is what npm kept of its downloads. */
const fetched = new Set(['node_modules', '.npm'])

/**
 * The plain files of a folder that belongs to an instance. It may change them meanwhile, and put links in their place:
 * each is opened by its name in the folder that is open already, and no link is followed, so that none leads out.
 * `contextCopy` names the file that stands for the database of the persistent context while that is written.
 */
export async function* readFiles(userDir: string, contextCopy?: string): AsyncGenerator<StoredFile> {
  const top = await opened(userDir, O_DIRECTORY)
  if (top) yield* below(top, '', { depth: 0, contextCopy })
}

/** Under which path a file is handed out; undefined for one that is left out. */
function shownPath(path: string, contextCopy: string | undefined): string | undefined {
  const { folder, name, copyPattern } = contextFiles
  const live = `${folder}/${name}`
  if (path === `${folder}/${contextCopy}`) return live
  // SQLite makes it anew.
  if (path === `${live}-shm`) return undefined
  if (contextCopy && (path === live || path === `${live}-wal`)) return undefined
  return path.startsWith(`${folder}/`) && copyPattern.test(path.slice(folder.length + 1)) ? undefined : path
}

async function* below(
  folder: FileHandle,
  path: string,
  { depth, contextCopy }: { depth: number; contextCopy: string | undefined },
): AsyncGenerator<StoredFile> {
  try {
    const here = `/proc/self/fd/${folder.fd}`
    for (const name of (await readdir(here)).sort()) {
      const shown = shownPath(path + name, contextCopy)
      if (fetched.has(name) || shown === undefined) continue
      // A pipe that nobody writes to would be waited for.
      const handle = await opened(`${here}/${name}`, O_NONBLOCK)
      if (!handle) continue
      const found = await handle.stat()
      if (found.isDirectory() && depth < deepest)
        yield* below(handle, `${path}${name}/`, { depth: depth + 1, contextCopy })
      else {
        try {
          // A second name may belong to a file of somebody else.
          if (found.isFile() && found.nlink === 1 && found.size - found.blocks * blockBytes <= holesMax)
            yield { path: shown, mode: found.mode & 0o777, size: found.size, content: contentOf(handle, found.size) }
        } finally {
          await handle.close()
        }
      }
    }
  } finally {
    await folder.close()
  }
}

/** Undefined for a link, and for what is gone or cannot be read. */
async function opened(path: string, flags: number): Promise<FileHandle | undefined> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | flags)
  } catch {
    return undefined
  }
}

/** As long as it was when it was opened: what somebody goes on writing has no end. */
async function* contentOf(handle: FileHandle, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(pieceBytes), 0, Math.min(left, pieceBytes), null)
    if (bytesRead === 0) return
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Writes files into a new folder of an instance. The next start gives them to its user. @throws DriverError */
export async function writeFiles(paths: Paths, files: AsyncIterable<InstanceFile>): Promise<void> {
  await removeTree(paths.userDir)
  makeFolders(paths)
  for await (const { path, mode, content } of files) {
    checkInside(path)
    const target = join(paths.userDir, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const handle = await open(target, 'wx', 0o600)
    try {
      await handle.writeFile(content)
    } finally {
      await handle.close()
    }
    await chmod(target, mode & 0o777)
  }
}
