import { createHash, type Hash } from 'node:crypto'
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A product built from sources, once after each change of them. Paths are relative to the root of the project. */
export interface Product {
  /** A file beside what was made, which says from what. */
  mark: string
  /** Patterns. Tests among them do not count. */
  sources: string[]
}

/** True when all were made from exactly the sources that are here. A source of several is looked for once. */
export function areCurrent(products: Product[]): boolean {
  const found: Found = new Map()
  return products.every((product) => isCurrent(product, found))
}

/** True when it was made from exactly the sources that are here. Files that only look new are remembered as they look now. */
export function isCurrent(product: Product, found: Found = new Map()): boolean {
  const mark = resolve(root, product.mark)
  if (!existsSync(mark)) return false
  const [looks, contents] = readFileSync(mark, 'utf8').split('\n')
  const files = filesOf(product, found)
  if (looks === looksOf(files)) return true
  // A fresh clone and a changed branch give new times to old files.
  if (contents !== contentsOf(files)) return false
  writeFileSync(mark, markOf(files))
  return true
}

/** Has `make` make it, unless it is up to date. What changes meanwhile is not taken for made. */
export async function makeOnce(product: Product, make: () => void | Promise<void>): Promise<void> {
  if (isCurrent(product)) return
  const mark = markOf(filesOf(product))
  await make()
  writeFileSync(resolve(root, product.mark), mark)
}

/** The files of patterns. */
type Found = Map<string, string[]>

function filesOf({ sources }: Product, found: Found = new Map()): string[] {
  const files = sources.flatMap((pattern) => {
    const known = found.get(pattern) ?? globSync(pattern, { cwd: root }).filter((path) => !path.includes('.test.'))
    found.set(pattern, known)
    return known
  })
  return [...new Set(files)].sort()
}

function digest(files: string[], add: (hash: Hash, path: string) => void): string {
  const hash = createHash('sha256')
  for (const path of files) add(hash.update(`${path}\0`), resolve(root, path))
  return hash.digest('hex')
}

/** The sizes and times of files, without reading them: at each start there is no time for more. */
const looksOf = (files: string[]) =>
  digest(files, (hash, path) => {
    const { size, mtimeMs, ctimeMs, ino } = statSync(path)
    hash.update(`${size} ${mtimeMs} ${ctimeMs} ${ino}\0`)
  })

const contentsOf = (files: string[]) =>
  digest(files, (hash, path) => {
    if (statSync(path).isFile()) hash.update(readFileSync(path)).update('\0')
  })

const markOf = (files: string[]) => `${looksOf(files)}\n${contentsOf(files)}`
