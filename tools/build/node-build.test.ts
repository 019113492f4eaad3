import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { isCurrent, makeOnce } from './built.ts'
import { bundle } from './node-build.ts'

/** Files of a program in a folder of their own. */
function program(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'forge-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'parts'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

/** A product of such files, with its mark among them. */
const productOf = (folder: string) => ({
  mark: join(folder, '.sources'),
  sources: ['main.ts', 'main.test.ts', 'parts'].map((name) => join(folder, name)),
})

test('what a bundled module finds from its own place it still finds, and what is loaded later still loads', async () => {
  const folder = program({
    'main.ts': "import { place } from './parts/place.ts'\nconsole.log(place, (await import('./parts/later.ts')).later)",
    'parts/place.ts': "export const place: string = new URL('./beside.json', import.meta.url).href",
    'parts/later.ts': "export const later = 'later'",
  })
  await bundle({ main: join(folder, 'main.ts') }, join(folder, 'dist'))
  const said = execFileSync(process.execPath, [join(folder, 'dist/main.js')])
    .toString()
    .trim()
  expect(said).toBe(`${pathToFileURL(join(folder, 'parts/beside.json')).href} later`)
})

test('a program that imports of a module of Node.js leaves alone what it does not use', async () => {
  const folder = program({
    'main.ts': `import fs, { existsSync } from 'node:fs'
      import { createServer, STATUS_CODES } from 'node:http'
      import * as all from 'http'
      const loaded = process.moduleLoadList.filter((name) => /undici/.test(name))
      const same = [fs.existsSync === existsSync, all.createServer === createServer, Object.keys(all).includes('request')]
      console.log(JSON.stringify([loaded, STATUS_CODES[418], same]))`,
  })
  await bundle({ main: join(folder, 'main.ts') }, join(folder, 'dist'))
  const said = execFileSync(process.execPath, [join(folder, 'dist/main.js')]).toString()
  expect(JSON.parse(said)).toEqual([[], "I'm a Teapot", [true, true, true]])
})

test('a module that asks for its folder in another way, or misses what it imports, fails the build', async () => {
  const folder = program({
    'main.ts': 'console.log(import.meta.dirname)',
    'other.ts': "import { gone } from './gone.ts'\nconsole.log(gone)",
  })
  await expect(bundle({ main: join(folder, 'main.ts') }, join(folder, 'dist'))).rejects.toThrow('import.meta.dirname')
  await expect(bundle({ main: join(folder, 'other.ts') }, join(folder, 'dist'))).rejects.toThrow('./gone.ts')
})

test('what was made counts until a source says something else; new times alone, and tests, change nothing', async () => {
  const folder = program({ 'main.ts': 'one', 'main.test.ts': 'a test' })
  const product = productOf(folder)
  const main = join(folder, 'main.ts')
  expect(isCurrent(product)).toBe(false)
  await makeOnce(product, () => undefined)
  expect(isCurrent(product)).toBe(true)
  utimesSync(main, 1, 1)
  writeFileSync(join(folder, 'main.test.ts'), 'another test')
  expect(isCurrent(product)).toBe(true)
  writeFileSync(main, 'two')
  expect(isCurrent(product)).toBe(false)
  await makeOnce(product, () => undefined)
  writeFileSync(join(folder, 'parts/more.ts'), 'three')
  expect(isCurrent(product)).toBe(false)
})

test('a source that changes while it is made from is not taken for made; what failed is not either', async () => {
  const folder = program({ 'main.ts': 'one' })
  const product = productOf(folder)
  const fail = () => Promise.reject(new Error('wrong'))
  await expect(makeOnce(product, fail)).rejects.toThrow('wrong')
  expect(isCurrent(product)).toBe(false)
  await makeOnce(product, () => writeFileSync(join(folder, 'main.ts'), 'two'))
  expect(isCurrent(product)).toBe(false)
})
