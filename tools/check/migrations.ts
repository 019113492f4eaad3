import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const folder = join(import.meta.dirname, '../../apps/server/migrations')
const list = join(folder, 'checksums.json')

export type Checksums = Record<string, string>

/** The checksum of a migration's effect: comments and white space do not count. */
export function checksumOf(name: string, text: string): string {
  let code = text
  for (const { start, end } of parseSync(name, text).comments.toReversed())
    code = code.slice(0, start) + code.slice(end)
  return createHash('sha256').update(code.replaceAll(/\s/g, '')).digest('hex')
}

/** One sentence for each recorded migration that is gone or does something else now. */
export function judgeMigrations(recorded: Checksums, found: Checksums): string[] {
  return Object.entries(recorded).flatMap(([name, checksum]) => {
    if (found[name] === undefined)
      return [`${name} is recorded, and the file is gone: databases that have had it refuse to start`]
    if (found[name] === checksum) return []
    return [
      `${name} was changed after it was recorded: databases that have had it keep the former schema. Write a new migration; if it has never left this checkout, remove its line from checksums.json and run npm run gen`,
    ]
  })
}

function readAll(): { recorded: Checksums; found: Checksums } {
  const names = readdirSync(folder).filter((name) => /^\d{4}-.*\.ts$/.test(name))
  const found = names.sort().map((name) => [name, checksumOf(name, readFileSync(join(folder, name), 'utf8'))] as const)
  return { recorded: JSON.parse(readFileSync(list, 'utf8')) as Checksums, found: Object.fromEntries(found) }
}

/** The list with a line for each new migration. Recorded ones stay as they are. */
export function checksumsText(): string {
  const { recorded, found } = readAll()
  const all = Object.entries({ ...found, ...recorded }).sort(([one], [other]) => (one < other ? -1 : 1))
  return `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`
}

if (import.meta.main) {
  const { recorded, found } = readAll()
  const problems = judgeMigrations(recorded, found)
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exitCode = 1
  else console.log(`${Object.keys(found).length} migrations are as they were recorded`)
}
