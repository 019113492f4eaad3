import { readFileSync } from 'node:fs'

/** Settings that can be given as a file, under their name with this at its end. */
export const fileSuffix = '_FILE'
const mostBytes = 16_384

/**
 * The environment with every `…_FILE` of these settings in the place of the setting: the file holds the value, and line
 * ends around it do not count. What cannot be read is a sentence in `problems`.
 */
export function withFiles(
  given: Record<string, string>,
  names: readonly string[],
): { given: Record<string, string>; problems: string[]; files: Record<string, string> } {
  const rest = { ...given }
  const problems: string[] = []
  const files: Record<string, string> = {}
  for (const name of names) {
    const setting = `${name}${fileSuffix}`
    const path = given[setting]
    if (path === undefined) continue
    delete rest[setting]
    if (given[name] !== undefined) {
      problems.push(`${name} and ${setting} are both set; set one of them.`)
      continue
    }
    const text = contentOf(path)
    if ('fault' in text) problems.push(`${setting} is "${path}", ${text.fault}.`)
    else {
      rest[name] = text.value
      files[name] = path
    }
  }
  return { given: rest, problems, files }
}

const reasons: Record<string, string> = {
  ENOENT: 'which does not exist',
  EACCES: 'which the user of the server may not read',
  EISDIR: 'which is a folder; it must be a file',
}

function contentOf(path: string): { value: string } | { fault: string } {
  try {
    const bytes = readFileSync(path)
    if (bytes.length > mostBytes) return { fault: 'which is too large for a secret' }
    const value = bytes.toString('utf8').trim()
    return value ? { value } : { fault: 'which is empty' }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    return { fault: reasons[code] ?? `which cannot be read (${code})` }
  }
}
