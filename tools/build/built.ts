import { createHash, type Hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** A product built from sources, once after each change of them. Paths are relative to the root of the project. */
export interface Product {
  /** A file beside what was made, which says from what. */
  mark: string
  /** Files, and folders with all that is below them. Tests among it do not count. */
  sources: string[]
}

/** The sources of the package of this name in packages/. */
export const sourcesOfPackage = (name: string): string[] => [`packages/${name}/package.json`, `packages/${name}/src`]

/** True when all were made from exactly the sources that are here. */
export function areCurrent(products: Product[]): boolean {
  const look = createLook()
  return products.every((product) => isCurrent(product, look))
}

/** True when it was made from exactly the sources that are here. Files that only look new are remembered as they look now. */
export function isCurrent(product: Product, look = createLook()): boolean {
  const mark = resolve(root, product.mark)
  if (!existsSync(mark)) return false
  const [looks, contents] = readFileSync(mark, 'utf8').split('\n')
  const files = look.filesOf(product)
  if (looks === look.looksOf(files)) return true
  // A fresh clone and a changed branch give new times to old files.
  if (contents !== contentsOf(files)) return false
  writeFileSync(mark, `${look.looksOf(files)}\n${contents}`)
  return true
}

/** Has `make` make it, unless it is up to date. What changes meanwhile is not taken for made. */
export async function makeOnce(product: Product, make: () => void | Promise<void>): Promise<void> {
  const look = createLook()
  if (isCurrent(product, look)) return
  const files = look.filesOf(product)
  const mark = `${look.looksOf(files)}\n${contentsOf(files)}`
  await make()
  writeFileSync(resolve(root, product.mark), mark)
}

/** A look at sources, at each file once. */
function createLook() {
  const below = new Map<string, string[]>()
  const looks = new Map<string, string>()

  function findBelow(source: string): string[] {
    const path = resolve(root, source)
    if (!existsSync(path)) return []
    if (!statSync(path).isDirectory()) return [source]
    return readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(source, name))
  }

  /** Its size and times, without reading it: at each start there is no time for more. */
  function lookAt(path: string): string {
    const { size, mtimeMs, ctimeMs, ino } = statSync(resolve(root, path))
    return `${size} ${mtimeMs} ${ctimeMs} ${ino}\0`
  }

  return {
    filesOf: ({ sources }: Product): string[] =>
      sources
        .flatMap((source) => getOrMake(below, source, findBelow))
        .filter((path) => !path.includes('.test.'))
        .sort(),
    looksOf: (files: string[]) => digest(files, (hash, path) => void hash.update(getOrMake(looks, path, lookAt))),
  }
}

function getOrMake<V>(known: Map<string, V>, key: string, make: (key: string) => V): V {
  const value = known.get(key) ?? make(key)
  known.set(key, value)
  return value
}

function digest(files: string[], add: (hash: Hash, path: string) => void): string {
  const hash = createHash('sha256')
  for (const path of files) add(hash.update(`${path}\0`), path)
  return hash.digest('hex')
}

const contentsOf = (files: string[]) =>
  digest(files, (hash, path) => {
    const full = resolve(root, path)
    if (statSync(full).isFile()) hash.update(readFileSync(full)).update('\0')
  })
