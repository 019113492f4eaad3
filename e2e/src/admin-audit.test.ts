import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import {
  admin,
  answer,
  button,
  field,
  type Person,
  screens,
  sees,
  shot,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const vendor = mkdtempSync(join(tmpdir(), 'forge-vendor-'))
afterAll(() => rmSync(vendor, { recursive: true, force: true }))
/** The vendor's command, as `npm run licence` calls it. */
const licence = (...words: string[]) =>
  execFileSync(process.execPath, [join(import.meta.dirname, '../../apps/server/src/cli/licence.ts'), ...words], {
    encoding: 'utf8',
  }).trim()
const key = join(vendor, 'vendor.pem')
const platform = usePlatform({ claimed: true, settings: () => ({ FORGE_LICENSE_KEYS: licence('keys', key) }) })
const visitors = useVisitors()

function inDatabase(work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(platform().home, 'forge.db'))
  db.exec('pragma busy_timeout = 5000')
  work(db)
  db.close()
}

const openAdmin = async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  return { person, ...(await visitors.open(platform(), person)) }
}
/** As long as the platform has no license; another test applies one. */
const withoutLicense = (page: Page) => answer(page, 'GET /api/v1/admin/license', 200, {})
/** The first, since other tests change settings as well. */
const changed = (page: Page) => page.getByText('Platform settings changed').first()
const changeSettings = (person: Person) =>
  person.client.call('settings.update', { body: { 'user:team:auto-create': true } })

test('[ADM-04] [SHELL-05] Administrators have a page for each thing they manage, the log among them', async () => {
  const { page } = await openAdmin()
  await withoutLicense(page)
  for (const [path, text] of [
    ['users', 'Users'],
    ['settings/license', 'This platform has no license.'],
    ['templates', 'Templates'],
    ['stacks', 'Stacks'],
    ['instance-types', 'Instance Types'],
    ['settings/general', 'Settings'],
  ] as const) {
    await page.goto(`/admin/${path}`)
    await sees(
      page
        .getByRole('main')
        .getByText(new RegExp(`^${text}`))
        .first(),
    )
  }
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.waitForURL('**/admin/audit-log')
  await sees(screens.heading(page, 'Platform Audit Log'))
})

test('[AUDIT-01] [AUDIT-02] [AUDIT-03] An administrator narrows the platform log by user and by event', async () => {
  const { people } = platform()
  people.add('carol')
  for (let i = 0; i < 3; i++) {
    const carol = await people.signIn('carol', admin.password)
    await carol.client.call('account.logout')
  }
  const { page, person } = await openAdmin()
  await changeSettings(person)
  await page.goto('/admin/audit-log')
  await sees(
    page.getByRole('heading', { name: 'Platform Audit Log' }),
    page.getByText('Recorded events that have taken place at the Platform level.'),
    changed(page),
  )
  await page.getByRole('combobox', { name: 'User:' }).click()
  await page.getByRole('option', { name: 'Carol Example (carol)' }).click()
  await page.waitForURL('**/admin/audit-log?user=carol')
  await changed(page).waitFor({ state: 'hidden' })
  await page.getByRole('combobox', { name: 'Event type:' }).click()
  expect(await page.getByRole('option').first().textContent()).toContain('Show All')
  await page.getByRole('option', { name: 'User signed out' }).click()
  await sees(page.getByText('3 Events'))
})

test('What an administrator searched for in the log is what is exported', async () => {
  const { page, person } = await openAdmin()
  await changeSettings(person)
  await page.goto('/admin/audit-log')
  await page.getByRole('searchbox', { name: 'Search activity' }).fill('TEAM:auto')
  await page.waitForURL('**q=TEAM%3Aauto')
  const { log } = await person.client.call('auditLog.list', { query: { query: 'team:auto' } })
  await sees(page.getByText(new RegExp(`^${log.length} Events?$`)), changed(page))
  await page.getByRole('button', { name: 'Export' }).click()
  const link = await page.getByRole('menuitem', { name: /CSV/ }).getAttribute('href')
  const file = await fetch(platform().url + link!, { headers: { cookie: person.cookie } }).then((reply) => reply.text())
  const [, ...lines] = file.trimEnd().split('\r\n')
  expect(lines).toHaveLength(log.length)
  for (const line of lines) expect(line).toContain('platform.settings.updated')
})

test('A log that was altered past the platform is found by verifying it', async () => {
  const { page, person } = await openAdmin()
  await changeSettings(person)
  await page.goto('/admin/audit-log')
  await sees(page.getByText('Not verified yet'))
  await page.getByRole('button', { name: 'Verify' }).click()
  await sees(page.getByText('Intact'))
  await shot(page, 'admin-audit-log')
  await expect
    .poll(() => {
      let place: unknown
      inDatabase((db) => {
        const newest = `(select max(id) from audit_log where event = 'platform.settings.updated')`
        place = db.prepare(`select position from audit_log where id = ${newest}`).get()?.position
        db.exec(`update audit_log set username = 'mallory' where id = ${newest}`)
      })
      return typeof place
    })
    .toBe('number')
  await page.getByRole('button', { name: 'Verify' }).click()
  await sees(
    page.getByText('Someone changed this log outside the platform.'),
    page.getByText(/at position \d+ was altered/),
  )
  await shot(page, 'admin-audit-log-broken')
})

test('[AUDIT-04] [AUDIT-05] [AUDIT-10] [AUDIT-22] Days are counted, the first three are open; what failed is told', async () => {
  const { page } = await openAdmin()
  // Noon, so that no zone moves an entry to another day.
  const noon = Date.parse('2026-03-10T12:00:00Z')
  const entry = (id: number, day: number, body: object) => ({
    id: String(id),
    createdAt: new Date(noon - day * 86_400_000).toISOString(),
    event: 'platform.stack.created',
    username: 'alice',
    scope: { id: 'platform', type: 'platform' },
    trigger: { id: null, type: 'user', name: `Person ${id}` },
    body: { stack: { id: 's', name: `stack-${id}` }, ...body },
  })
  const error = { code: 'unknown_version', message: 'There is no such version' }
  const log = [entry(9, 0, {}), entry(8, 0, { error }), ...[1, 2, 3, 4].map((day) => entry(5 - day, day, {}))]
  await answer(page, 'GET /api/v1/admin/audit-log', 200, { meta: {}, count: log.length, log })
  await page.goto('/admin/audit-log')
  const days = page.getByRole('button', { name: /, 2026/ })
  await sees(days.first())
  expect(await days.evaluateAll((all) => all.map((day) => day.getAttribute('aria-expanded')))).toEqual([
    'true',
    'true',
    'true',
    'false',
    'false',
  ])
  expect((await days.allInnerTexts()).map((text) => /\d+ Events?$/.exec(text)?.[0])).toEqual([
    '2 Events',
    ...Array.from({ length: 4 }, () => '1 Event'),
  ])
  await days.last().click()
  await sees(page.getByText('stack-1'))
  const failed = page.getByRole('listitem').filter({ hasText: 'Person 8' })
  await sees(failed.getByText('Error: There is no such version'), failed.getByText('stack-8'), failed.locator('time'))
  expect(await failed.getByText('unknown_version').isVisible()).toBe(false)
  await failed.getByText('Show Error').click()
  await sees(failed.getByText('unknown_version'))
  await shot(page, 'admin-audit-log-days')
})

test('[AUDIT-06] The way of keeping entries is asked about before anything is removed', async () => {
  const { page, person } = await openAdmin()
  await page.goto('/admin/audit-log?q=nothing-has-this')
  await sees(page.getByText('No Activity Found'))
  await page.getByRole('combobox', { name: 'Keep entries:' }).click()
  await page.getByRole('option', { name: '1 year' }).click()
  await page.getByRole('button', { name: 'Remove older entries' }).click()
  await sees(screens.toast(page, 'Settings changed successfully.'))
  expect((await person.client.call('settings.get'))['audit:retention-days']).toBe(365)
})

const license = (organisation = 'Example Bakery') =>
  licence('make', key, '--organisation', organisation, '--expires', '2099-01-01', '--users', '50')
/** The page of the license, with the form that takes another. */
async function openLicenseForm() {
  const opened = await openAdmin()
  await opened.page.goto('/admin/settings/license')
  await button(opened.page, 'Update license').click()
  const check = button(opened.page, 'Check license')
  return { ...opened, check, text: field(opened.page, 'Or enter a license') }
}

test('[ALIC-02] [ALIC-03] [ALIC-04] A license is typed or uploaded, checked, and not applied before it was', async () => {
  const { page, person, check, text } = await openLicenseForm()
  const before = await person.client.call('licence.get')
  expect(await check.isDisabled()).toBe(true)
  await text.fill(license('Typed Bakery'))
  const asked = page.waitForRequest((call) => call.method() === 'PUT')
  await check.click()
  expect((await asked).postDataJSON()).toMatchObject({ action: 'inspect' })
  await sees(page.getByText('Typed Bakery', { exact: true }), page.getByText('enterprise', { exact: true }))
  await shot(page, 'admin-license-check')
  await button(page, 'Cancel').click()
  await button(page, 'Update license').click()
  const file = { name: 'bakery.lic', mimeType: 'text/plain', buffer: Buffer.from(license('Uploaded Bakery')) }
  await page.getByLabel('Upload a license file').setInputFiles(file)
  await check.click()
  await sees(page.getByText('Uploaded Bakery', { exact: true }))
  await button(page, 'Cancel').click()
  await sees(button(page, 'Update license'))
  expect(await page.getByText('Uploaded Bakery').count()).toBe(0)
  expect(await person.client.call('licence.get')).toEqual(before)
})

test('[ALIC-05] A license that was altered, and what fails on the way, is told', async () => {
  const { page, check, text } = await openLicenseForm()
  await text.fill(license().slice(0, -4))
  await check.click()
  await sees(screens.toast(page, 'This license was altered, or is not signed by the vendor of this platform'))
  await text.fill(license())
  await answer(page, 'PUT /api/v1/admin/license', 400, {})
  await check.click()
  await sees(screens.toast(page, 'Error inspecting license'))
  await page.unrouteAll()
  await check.click()
  await sees(button(page, 'Apply license'))
  for (const [reply, told] of [
    [{}, 'Error applying license'],
    [{ code: 'invalid_license', error: 'It has expired meanwhile' }, 'It has expired meanwhile'],
  ] as const) {
    await answer(page, 'PUT /api/v1/admin/license', 400, reply)
    await button(page, 'Apply license').click()
    await sees(screens.toast(page, told))
    await page.unrouteAll()
  }
})

test('[ALIC-01] [ALIC-03] [ADM-18] [PERM-21] A license that is applied is read on its page and on the overview', async () => {
  const { page, person, check, text } = await openLicenseForm()
  await text.fill(license())
  await check.click()
  await button(page, 'Apply license').click()
  await sees(screens.toast(page, 'License applied.'), page.getByText('Example Bakery', { exact: true }))
  const { id } = (await person.client.call('licence.get')) as { id: string }
  expect(id).toBeTruthy()
  for (const [name, value] of [
    ['License ID', id],
    ['Organisation', 'Example Bakery'],
    ['Tier', 'enterprise'],
    ['Expires', /2099/],
  ] as const)
    await sees(page.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd[1]').getByText(value))
  await page.getByText('Details', { exact: true }).click()
  await sees(page.getByText('"users": 50'))
  await shot(page, 'admin-license')
  await page.goto('/admin/overview')
  const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'License' }) })
  await sees(card.getByText('FlowForge Enterprise Edition'), card.getByText('Example Bakery'), card.getByText(/2099/))
  expect(readFileSync(key, 'utf8')).toContain('PRIVATE KEY')
})

test('The settings of the platform lead to its license, and say when there is none', async () => {
  const { page } = await openAdmin()
  await withoutLicense(page)
  await page.goto('/admin/settings')
  await page.waitForURL('**/admin/settings/general')
  await page.getByRole('link', { name: 'License' }).click()
  await page.waitForURL('**/admin/settings/license')
  await sees(page.getByText('This platform has no license.'))
})

test('Before the second count the statistics say when it comes, and show the numbers of now', async () => {
  const { page, person } = await openAdmin()
  const counts = { userCount: 1, teamCount: 0, instanceCount: 0, instancesByState: {}, deviceCount: 0 }
  const points = [{ at: '2026-03-10T07:00:00.000Z', ...counts }]
  await answer(page, 'GET /api/v1/admin/stats/history', 200, { meta: {}, count: 1, points })
  await page.goto('/admin/statistics')
  await sees(
    page.getByText('The charts begin with the second count'),
    page.getByText(/^Counted every hour; the next count is at about .*2026/),
  )
  const { teamCount } = await person.client.call('admin.stats')
  const now = page.locator('dt').getByText('Teams now', { exact: true }).locator('xpath=following-sibling::dd[1]')
  await expect.poll(() => now.innerText()).toBe(String(teamCount))
  expect(await page.getByRole('main').getByRole('img').count()).toBe(0)
})

test('The statistics show how much there was of everything', async () => {
  inDatabase((db) => {
    const insert = db.prepare(
      `insert or replace into stats_points (period, at, users, teams, instances, devices, states) values ('hour', ?, ?, ?, ?, 0, ?)`,
    )
    const hour = 3_600_000
    const now = Date.now() - (Date.now() % hour)
    for (let i = 0; i < 160; i++) {
      const running = 20 + Math.round(12 * Math.sin(i / 8))
      const suspended = 10 + Math.round(i / 20)
      const states = JSON.stringify({ running, suspended, ...(i % 30 < 4 ? { crashed: 2 } : {}) })
      insert.run(now - (159 - i) * hour, 14 + Math.round(i / 9), 4 + Math.round(i / 40), running + suspended, states)
    }
  })
  const { page, person } = await openAdmin()
  await page.goto('/admin/statistics')
  await sees(
    page.getByRole('img', { name: 'Users, teams, instances and devices over time' }),
    page.getByRole('img', { name: 'Instances by state over time' }),
    page.getByText('suspended'),
  )
  const { userCount } = await person.client.call('admin.stats')
  const now = page.locator('dt').getByText('Users now', { exact: true }).locator('xpath=following-sibling::dd[1]')
  await expect.poll(() => now.innerText()).toBe(String(userCount))
  await shot(page, 'admin-statistics')
  await page.getByRole('radio', { name: '2 years' }).click()
  await page.waitForURL('**/admin/statistics?range=years')
})
