import { fail } from '../../platform/http/failure.ts'

/** Parts of a path as people and editors write it, with slashes wherever. */
export const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

/** The folder and the name at the end of a path; both empty for the top. */
export function splitPath(parts: readonly string[]): { folder: string; name: string } {
  return { folder: parts.slice(0, -1).join('/'), name: parts.at(-1) ?? '' }
}

/** The places of all folders that a path goes through, at which no entry may stand. */
export const parentsOf = (parts: readonly string[]) =>
  parts.slice(0, -1).map((_, at) => splitPath(parts.slice(0, at + 1)))

/** Half of a surrogate pair is no text: a database would keep another name than was asked for. */
const isName = (part: string) =>
  part !== '.' && part !== '..' && part.length <= 200 && part.isWellFormed() && !/\p{Cc}/u.test(part)

/** @throws Failure invalid_name for a path that names nothing, or that no tree of files could have. */
export function checkPath(parts: readonly string[]): void {
  const bad = parts.find((part) => !isName(part))
  if (bad !== undefined)
    throw fail('invalid_name', `“${bad.slice(0, 200).toWellFormed()}” cannot be a name in the library`)
  if (parts.length === 0) throw fail('invalid_name', 'Give the entry a name')
}
