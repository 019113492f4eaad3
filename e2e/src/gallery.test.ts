import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultsOf, freePort, until, useVisitors } from './harness/index.ts'

const web = join(import.meta.dirname, '../../apps/web')
const vite = join(import.meta.dirname, '../../node_modules/vite/bin/vite.js')
const visitors = useVisitors()
let folder: string
let url: string
let preview: ChildProcess

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fe2e-gallery-'))
  const build = ['build', '--mode', 'gallery', '--outDir', folder, '--logLevel', 'error']
  const { status, stderr } = spawnSync(process.execPath, [vite, ...build], { cwd: web, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The gallery could not be built.\n${stderr}`)
  const port = String(await freePort())
  preview = spawn(process.execPath, [vite, 'preview', '--outDir', folder, '--host', '127.0.0.1', '--port', port], {
    cwd: web,
    stdio: 'ignore',
  })
  url = `http://localhost:${port}`
  await until(
    () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    Boolean,
  )
})

afterAll(() => {
  preview?.kill()
  rmSync(folder, { recursive: true, force: true })
})

test('Every component in every state is accessible in both themes', async () => {
  const { page } = await visitors.open({ url })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/gallery.html')
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  await links.first().waitFor()
  const names = await links.allInnerTexts()
  expect(names.length).toBeGreaterThan(3)
  const faults: string[] = []
  for (const name of names) {
    for (const theme of ['light', 'dark']) {
      await page.goto(`/gallery.html?page=${name}&theme=${theme}`)
      await page
        .locator('#root > *')
        .first()
        .waitFor({ state: 'attached' })
        .catch(() => {
          throw new Error(`The page ${name} of the gallery stays empty`)
        })
      for (const fault of await faultsOf(page)) faults.push(`${name}, ${theme}: ${fault}`)
    }
  }
  expect(faults).toEqual([])
})
