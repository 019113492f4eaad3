import type { Training } from '@app/contract/instance-link'
import { Module } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

type Names = Training['names']
type Resolve = (name: string, asker?: { path: string }, ...rest: unknown[]) => string

/** Collects which file was meant by a name in which folder, as far as both lie below `folder`. */
export function noteNames(folder: string) {
  const all: Names = {}
  const below = (url: string) => relative(folder, fileURLToPath(url))
  return {
    all,
    note(name: string, asker: string | undefined, found: string): void {
      if (!asker?.startsWith('file:') || !found.startsWith('file:')) return
      const [from, to] = [dirname(below(asker)), below(found)]
      if (from.startsWith('..') || to.startsWith('..')) return
      all[from] ??= {}
      all[from][name] = to
    },
  }
}

/**
 * Spares Node.js the search for files whose place is known, a dozen questions to the disk for each, until the
 * returned function is called.
 */
export function knowNames(folder: string, names: Names): () => void {
  const known = new Map(
    Object.entries(names).map(([from, meant]) => [
      join(folder, from),
      new Map(Object.entries(meant).map(([name, to]) => [name, join(folder, to)])),
    ]),
  )
  // The way by which others give names a meaning too; the official hooks cost more than the search.
  const searcher = Module as unknown as { _resolveFilename: Resolve }
  const original = searcher._resolveFilename
  searcher._resolveFilename = (name, asker, ...rest) =>
    (asker && known.get(asker.path)?.get(name)) ?? original(name, asker, ...rest)
  return () => {
    searcher._resolveFilename = original
  }
}
