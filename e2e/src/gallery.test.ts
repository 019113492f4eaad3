import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
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

/** Opens one page of the gallery, in one theme, and answers the shelf of this name in it. */
async function shelf(page: Page, name: string, label: string, more = ''): Promise<Locator> {
  await page.goto(`/gallery.html?page=${name}&theme=light${more}`)
  const found = page.getByRole('region', { name: label, exact: true })
  await found.waitFor()
  return found
}

test('[LAYOUT-15] [LAYOUT-16] A form row has its error, help and disabled state; what cannot be edited says "No Value" when empty', async () => {
  const { page } = await visitors.open({ url })
  const rows = await shelf(page, 'fields', 'Form row')
  const [plain, wrong] = await rows.getByRole('textbox', { name: 'Instance name' }).all()
  expect(await accessible(plain!)).toEqual({ error: null, text: "Its name is its address and can't be changed later." })
  expect(await accessible(wrong!)).toMatchObject({ error: 'true', text: expect.stringContaining('Names must only') })
  expect(await rows.getByRole('textbox', { name: 'Disabled' }).isDisabled()).toBe(true)
  expect(await rows.getByRole('group', { name: 'Description' }).innerText()).toBe('No Value')
  expect(await rows.getByRole('group', { name: 'Team ID' }).innerText()).toBe('b4ker1')
})

test('[LAYOUT-10] Lists that drop down are 200 pixels high at most, and scroll', async () => {
  const { page } = await visitors.open({ url })
  const menus = await shelf(page, 'controls', 'Menus')
  await menus.getByRole('button', { name: 'A long list' }).click()
  const list = page.getByRole('menu').getByRole('group')
  const { height, scrolls } = await list.evaluate((element) => ({
    height: element.clientHeight,
    scrolls: element.scrollHeight > element.clientHeight,
  }))
  expect([height, scrolls]).toEqual([200, true])
})

test('[LAYOUT-02] [LAYOUT-09] Toasts stand one below the other, at least 350 pixels wide', async () => {
  const { page } = await visitors.open({ url })
  await shelf(page, 'feedback', 'Banner', '&open=toasts')
  const toasts = page.locator('li[data-state=open]')
  await toasts.nth(3).waitFor()
  const boxes = await Promise.all((await toasts.all()).map((toast) => toast.boundingBox()))
  expect(Math.min(...boxes.map((box) => box?.width ?? 0))).toBeGreaterThanOrEqual(350)
  const gaps = boxes.slice(1).map((box, above) => (box?.y ?? 0) - bottomOf(boxes[above]))
  expect(Math.min(...gaps)).toBeGreaterThan(0)
  await page.goto('/gallery.html?page=login&theme=light')
  const panel = page.getByRole('main')
  expect(await panel.getByText('FlowForge').isVisible()).toBe(true)
  expect(await panel.getByRole('textbox', { name: 'Username or email' }).isVisible()).toBe(true)
  const side = await page.getByRole('complementary').boundingBox()
  expect((await panel.boundingBox())?.x).toBeGreaterThanOrEqual((side?.x ?? 0) + (side?.width ?? 0))
})

test('[LAYOUT-13] [LAYOUT-14] An item of the navigation has icon, label, a mark for what is not available, and a count above 0', async () => {
  const { page } = await visitors.open({ url })
  await page.goto('/gallery.html?page=shell&theme=light')
  const items = page.getByRole('navigation', { name: 'Main' })
  const devices = items.getByRole('link', { name: /Devices/ })
  await devices.waitFor()
  expect(await devices.locator('svg').count()).toBe(1)
  expect(await devices.innerText()).toMatch(/^Devices\s+3\s+waiting$/)
  expect(await items.getByRole('link', { name: /Members/ }).innerText()).toBe('Members')
  await items.getByRole('link', { name: 'Library (not available)' }).waitFor()
})

test('[LAYOUT-17] [LAYOUT-18] Loading says "Loading..." and turns in the colours of both themes', async () => {
  const { page } = await visitors.open({ url })
  const colours: string[] = []
  for (const theme of ['light', 'dark']) {
    await page.goto(`/gallery.html?page=loading&theme=${theme}`)
    const status = page.getByRole('status').filter({ hasText: 'Loading...' })
    await status.waitFor()
    colours.push(await page.evaluate<string>('getComputedStyle(document.querySelector("[role=status]")).color'))
  }
  expect(new Set(colours).size).toBe(2)
})

const bottomOf = (box: { y: number; height: number } | null | undefined) => (box ? box.y + box.height : NaN)

/** What is announced with a field: its fault, and the texts that describe it. */
function accessible(field: Locator): Promise<{ error: string | null; text: string }> {
  return field.evaluate((element) => ({
    error: element.getAttribute('aria-invalid'),
    text: (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id: string) => element.ownerDocument.getElementById(id)?.innerText ?? '')
      .join(' '),
  }))
}
