import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const ui = join(import.meta.dirname, '../../apps/web/src/ui')
const gallery = join(import.meta.dirname, '../../apps/web/src/gallery')
const filesOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.tsx'))

/** The components that a file shows: those that it imports, and those that these are made of. */
function shownBy(file: string, seen: Set<string>): void {
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+\.tsx)'/g)) {
    const found = join(dirname(file), path!)
    if (seen.has(found) || !found.startsWith(ui)) continue
    seen.add(found)
    shownBy(found, seen)
  }
}

test('every component stands in the gallery', () => {
  const seen = new Set<string>()
  for (const name of filesOf(gallery)) shownBy(join(gallery, name), seen)
  expect(filesOf(ui).filter((name) => !seen.has(join(ui, name)))).toEqual([])
})
