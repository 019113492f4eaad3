import type { Page } from 'playwright-core'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { admin, createTeam, openConsole, screens, sees, signInThrough, until } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { people } = platform()
people.add('bob')
await createTeam((await people.signIn('bob', admin.password)).client, 'Example Bakery')

/** Notes the assets that a page fetches, for later as well. */
function assetsOf(page: Page): () => string[] {
  const found = new Set<string>()
  page.on('request', (request) => request.url().includes('/assets/') && found.add(new URL(request.url()).pathname))
  return () => [...found]
}
const piecesOf = (assets: string[]) =>
  assets.filter((path) => path.endsWith('.js')).map((path) => /assets\/([a-z]+)-/.exec(path)?.[1] ?? path)

test('Before anybody signs in a browser fetches what the login needs, and the other pieces by role afterwards', async () => {
  const { page } = await visitors.open(platform())
  const assets = assetsOf(page)
  await page.goto('/team/example-bakery/applications')
  await sees(screens.heading(page, 'Login'))
  await page.waitForLoadState('networkidle')
  const before = assets()
  expect(piecesOf(before)).toEqual(['index'])
  expect(before.map((path) => extname(path)).toSorted()).toEqual(['.css', '.js', '.woff2'])
  const sizes = await Promise.all(
    [page.url(), ...before].map(async (path) => gzipSync(await (await page.request.get(path)).body()).length / 1024),
  )
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200)
  await signInThrough(page, 'bob', admin.password)
  await sees(screens.heading(page, 'Applications'))
  const all = await until(
    async () => piecesOf(assets()),
    (pieces) => pieces.includes('account'),
  )
  expect(all.toSorted()).toEqual(['account', 'frame', 'index', 'overlays', 'shared', 'team'])
})

test('Until the console runs one sees its frame: the login, or the frame of who was signed in', async () => {
  const { page } = await visitors.open(platform())
  let release = () => {}
  const hold = async () => {
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/assets/index-*.js', async (route) => {
      await held
      await route.continue()
    })
  }
  const boot = page.locator('#boot')
  await page.emulateMedia({ colorScheme: 'dark' })
  await hold()
  await page.goto('/', { waitUntil: 'commit' })
  await sees(boot.locator('.boot-login').first())
  await page.screenshot({ path: 'screenshots/boot-login.png' })
  release()
  await sees(screens.heading(page, 'Login'))
  await boot.waitFor({ state: 'hidden' })
  await page.unroute('**/assets/index-*.js')
  await signInThrough(page, 'bob', admin.password)
  await sees(screens.heading(page, 'Applications'))
  await hold()
  await page.reload({ waitUntil: 'commit' })
  await sees(boot.locator('.boot-nav').first())
  await page.screenshot({ path: 'screenshots/boot-app.png' })
  release()
  await sees(screens.heading(page, 'Applications'))
  await boot.waitFor({ state: 'hidden' })
})
