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

test.each(['light', 'dark'])('Every component in every state is accessible in the %s theme', async (theme) => {
  const { page } = await visitors.open({ url })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto('/gallery.html')
  const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  await links.first().waitFor()
  const names = await links.allInnerTexts()
  expect(names.length).toBeGreaterThan(3)
  const faults: string[] = []
  for (const name of names) {
    await page.goto(`/gallery.html?page=${name}&theme=${theme}`)
    await page
      .locator('#root > *')
      .first()
      .waitFor({ state: 'attached' })
      .catch(() => {
        throw new Error(`The page ${name} of the gallery stays empty`)
      })
    for (const fault of await faultsOf(page)) faults.push(`${name}: ${fault}`)
  }
  expect(faults).toEqual([])
})

test('Of two choices that say the same, each is chosen by keyboard', async () => {
  const { page } = await visitors.open({ url })
  await page.goto('/gallery.html?page=fields&theme=light')
  const choice = page.getByRole('combobox', { name: 'Application' })
  await choice.focus()
  /** The focus comes back after the list is gone; a key pressed between the two is nobody's. */
  const closed = async () => {
    await page.getByPlaceholder('Search...').waitFor({ state: 'detached' })
    await choice.and(page.locator(':focus')).waitFor()
  }
  for (const [key, note] of [
    ['ArrowDown', 'Kitchen'],
    ['ArrowUp', 'Bakery'],
  ] as const) {
    await page.keyboard.press('Enter')
    await page.getByPlaceholder('Search...').waitFor()
    await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await closed()
    await page.keyboard.press('Enter')
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .filter({ has: page.locator('svg') })
          .innerText(),
      )
      .toContain(note)
    await page.keyboard.press('Escape')
    await closed()
  }
})

/** The share of the pixels of two pictures of one size that are not alike. The browser reads them. */
function unlike(page: Page, pictures: Buffer[]): Promise<number> {
  return page.evaluate<number>(`(async (encoded) => {
    const [one, two] = await Promise.all(encoded.map(async (text) => {
      const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')
      context.drawImage(image, 0, 0)
      return context.getImageData(0, 0, image.width, image.height).data
    }))
    if (one.length !== two.length) return 1
    let count = 0
    for (let at = 0; at < one.length; at += 4) {
      const gap = [0, 1, 2].reduce((sum, part) => sum + Math.abs(one[at + part] - two[at + part]), 0)
      if (gap > 60) count += 1
    }
    return count / (one.length / 4)
  })(${JSON.stringify(pictures.map((picture) => picture.toString('base64')))})`)
}

test('In high contrast one sees which page is open, what is chosen, what is on, and where the focus is', async () => {
  const { page } = await visitors.open({ url })
  await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
  /** The share of an element's look that is lost when this attribute changes. */
  const share = async (element: Locator, attribute: string, value: string | null) => {
    await element.scrollIntoViewIfNeeded()
    // The locator's own condition is about to change.
    const handle = await element.elementHandle()
    if (!handle) throw new Error(`There is no ${attribute}`)
    const before = await handle.screenshot()
    await handle.evaluate(
      (node, [name, to]) => (to === null ? node.removeAttribute(name) : node.setAttribute(name, to)),
      [attribute, value] as const,
    )
    return unlike(page, [before, await handle.screenshot()])
  }
  const shares: Record<string, number> = {}
  const tabs = await shelf(page, 'navigation', 'Side tabs')
  shares['current page'] = await share(tabs.locator('[aria-current=page]').first(), 'aria-current', null)
  await page.screenshot({ path: 'screenshots/forced-colors-navigation.png' })
  const bar = await shelf(page, 'controls', 'Tabs, segmented, copy, time')
  shares['current tab'] = await share(bar.locator('nav [aria-current=page]').first(), 'aria-current', null)
  shares['segment'] = await share(bar.locator('[data-state=on]').first(), 'data-state', 'off')
  const badges = await shelf(page, 'controls', 'Status badge')
  await page.screenshot({ path: 'screenshots/forced-colors-controls.png' })
  const dot = badges.locator('[data-part=dot]').first()
  shares['status dot'] = await share(dot, 'style', 'opacity: 0')
  const tiles = await shelf(page, 'fields', 'Radio tiles')
  await page.screenshot({ path: 'screenshots/forced-colors-fields.png' })
  shares['radio tile'] = await share(tiles.locator('[role=radio][aria-checked=true]').first(), 'aria-checked', 'false')
  const boxes = await shelf(page, 'fields', 'Checkbox and switch')
  shares['checkbox'] = await share(
    boxes.locator('[role=checkbox][data-state=checked]').first(),
    'data-state',
    'unchecked',
  )
  shares['switch'] = await share(boxes.locator('[role=switch][data-state=checked]').first(), 'data-state', 'unchecked')
  const off = boxes.locator('[role=switch][data-state=unchecked]').first()
  shares['knob of a switch'] = await share(off.locator('span'), 'style', 'opacity: 0')
  const rows = await shelf(page, 'fields', 'Form row')
  const field = rows.getByRole('textbox').first()
  const around = field.locator('xpath=..')
  const idle = await around.screenshot()
  await field.focus()
  shares['focus'] = await unlike(page, [idle, await around.screenshot()])
  const least = { 'radio tile': 0.02, focus: 0.02 } as Record<string, number>
  expect(Object.entries(shares).filter(([name, found]) => found < (least[name] ?? 0.2))).toEqual([])
})

/** Opens one page of the gallery, in one theme, and answers the shelf of this name in it. */
async function shelf(page: Page, name: string, label: string, more = ''): Promise<Locator> {
  await page.goto(`/gallery.html?page=${name}&theme=light${more}`)
  const found = page.getByRole('region', { name: label, exact: true })
  await found.waitFor()
  return found
}

test('A grey badge keeps its shape on the row under the pointer', async () => {
  const { page } = await visitors.open({ url })
  const row = page.getByRole('row').filter({ hasText: 'suspended' }).first()
  const ground = (of: Locator) =>
    of.evaluate((node) => node.ownerDocument.defaultView!.getComputedStyle(node).backgroundColor)
  const parts = (colour: string) => (colour.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
  for (const theme of ['light', 'dark']) {
    await page.goto(`/gallery.html?page=data&theme=${theme}`)
    const still = await ground(row)
    await row.getByText('suspended', { exact: true }).hover()
    await expect.poll(() => ground(row)).not.toBe(still)
    const below = parts(await ground(row))
    const badge = parts(await ground(row.getByText('suspended', { exact: true })))
    const difference = badge.reduce((sum, part, n) => sum + Math.abs(part - below[n]!), 0)
    expect(difference, `${theme}: ${badge.join()} on ${below.join()}`).toBeGreaterThan(20)
  }
})

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

test('[LAYOUT-13] [LAYOUT-14] An item of the navigation has icon, avatar, label, a mark for what is not available, and a count above 0', async () => {
  const { page } = await visitors.open({ url })
  await page.goto('/gallery.html?page=shell&theme=light')
  const items = page.getByRole('navigation', { name: 'Main' })
  const devices = items.getByRole('link', { name: /Devices/ })
  await devices.waitFor()
  expect(await devices.locator('svg').count()).toBe(1)
  expect(await devices.innerText()).toMatch(/^EB\s+Devices\s+3\s+waiting$/)
  expect(await devices.locator('[aria-hidden]', { hasText: 'EB' }).count()).toBe(1)
  expect(await items.getByRole('link', { name: /Members/ }).innerText()).toBe('Members')
  const library = items.getByRole('link', { name: 'Library (not available)' })
  // Its icon, and the mark.
  await library.locator('svg').nth(1).waitFor()
  expect(await library.locator('svg').count()).toBe(2)
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

/** The announced error of a field, and the texts that describe it. */
function accessible(field: Locator): Promise<{ error: string | null; text: string }> {
  return field.evaluate((element) => ({
    error: element.getAttribute('aria-invalid'),
    text: (element.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id: string) => element.ownerDocument.getElementById(id)?.innerText ?? '')
      .join(' '),
  }))
}
