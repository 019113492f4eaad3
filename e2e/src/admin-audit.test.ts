import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, test } from 'vitest'
import { admin, answer, field, screens, sees, shot, usePlatform, useVisitors } from './harness/index.ts'

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

test('[AUDIT-01] [AUDIT-02] [AUDIT-03] [AUDIT-07] [AUDIT-23] [ADM-04] [SHELL-05] An administrator narrows the platform log, takes it away and verifies it', async () => {
  const { people } = platform()
  people.add('carol')
  const person = await people.signIn(admin.username, admin.password)
  await people.signIn('carol', admin.password)
  await person.client.call('settings.update', { body: { 'user:team:auto-create': true } })
  for (let i = 0; i < 3; i++) {
    const carol = await people.signIn('carol', admin.password)
    await carol.client.call('account.logout')
  }
  const { page } = await visitors.open(platform(), person)
  // Another test applies a license.
  await answer(page, 'GET /api/v1/admin/license', 200, {})
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
  await page.unrouteAll()
  // The first, since other tests change settings as well.
  const changed = page.getByText('Platform settings changed').first()
  await page.goto('/admin/settings/general')
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.waitForURL('**/admin/audit-log')
  await sees(
    page.getByRole('heading', { name: 'Platform Audit Log' }),
    page.getByText('Recorded events that have taken place at the Platform level.'),
    changed,
    page.getByText('Not verified yet'),
  )
  await page.getByRole('combobox', { name: 'User:' }).click()
  await page.getByRole('option', { name: 'Carol Example (carol)' }).click()
  await page.waitForURL('**/admin/audit-log?user=carol')
  await changed.waitFor({ state: 'hidden' })
  await page.getByRole('combobox', { name: 'Event type:' }).click()
  expect(await page.getByRole('option').first().textContent()).toContain('Show All')
  await page.getByRole('option', { name: 'User signed out' }).click()
  await sees(page.getByText('3 Events'))
  await page.goto('/admin/audit-log')
  await page.getByRole('searchbox', { name: 'Search activity' }).fill('TEAM:auto')
  await page.waitForURL('**q=TEAM%3Aauto')
  await sees(page.getByText('1 Event', { exact: true }), changed)

  await page.getByRole('button', { name: 'Export' }).click()
  const link = await page.getByRole('menuitem', { name: /CSV/ }).getAttribute('href')
  const file = await fetch(platform().url + link!, { headers: { cookie: person.cookie } }).then((reply) => reply.text())
  expect(file.trimEnd().split('\r\n')).toHaveLength(2)
  expect(file).toContain('platform.settings.updated')
  await page.keyboard.press('Escape')

  await page.goto('/admin/audit-log')
  await page.getByRole('button', { name: 'Verify' }).click()
  await sees(page.getByText('Intact'))
  await shot(page, 'admin-audit-log')
  await expect
    .poll(() => {
      let place: unknown
      inDatabase((db) => {
        const newest = `(select max(id) from audit_log where event = 'platform.settings.updated')`
        place = db.prepare(`select position from audit_log where id = ${newest}`).get()?.position
        db.exec(`update audit_log set username = 'carol' where id = ${newest}`)
      })
      return typeof place
    })
    .toBe('number')
  await page.getByRole('button', { name: 'Verify' }).click()
  await sees(page.getByText('Somebody changed this log past the platform.'), page.getByText(/at place \d+ was altered/))
  await shot(page, 'admin-audit-log-broken')
})

test('[AUDIT-04] [AUDIT-05] [AUDIT-10] [AUDIT-22] Days are counted, the first three are open; what failed is told', async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
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
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
  await page.goto('/admin/audit-log?q=nothing-has-this')
  await sees(page.getByText('No Activity Found'))
  await page.getByRole('combobox', { name: 'Keep entries:' }).click()
  await page.getByRole('option', { name: '1 year' }).click()
  await page.getByRole('button', { name: 'Remove older entries' }).click()
  await sees(screens.toast(page, 'Settings changed successfully.'))
  expect((await person.client.call('settings.get'))['audit:retention-days']).toBe(365)
})

test('[ALIC-01] [ALIC-02] [ALIC-03] [ALIC-04] [ALIC-05] [ADM-18] [PERM-21] A license is checked, read and applied', async () => {
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
  await page.goto('/admin/settings')
  await page.waitForURL('**/admin/settings/general')
  await page.getByRole('link', { name: 'License' }).click()
  await page.waitForURL('**/admin/settings/license')
  await sees(page.getByText('This platform has no license.'))
  await page.getByRole('button', { name: 'Update license' }).click()
  const check = page.getByRole('button', { name: 'Check license' })
  expect(await check.isDisabled()).toBe(true)
  const text = licence('make', key, '--organisation', 'Example Bakery', '--expires', '2099-01-01', '--users', '50')
  await field(page, 'Or enter a license').fill(text.slice(0, -4))
  await check.click()
  await sees(screens.toast(page, 'This license was altered, or is not signed by the vendor of this platform'))
  await page.getByLabel('Upload a license file').setInputFiles({
    name: 'bakery.lic',
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  })
  await check.click()
  await sees(page.getByText('Example Bakery', { exact: true }), page.getByText('enterprise', { exact: true }))
  expect(await person.client.call('licence.get')).toEqual({})
  await shot(page, 'admin-license-check')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await sees(page.getByText('This platform has no license.'))
  await page.getByRole('button', { name: 'Update license' }).click()
  await field(page, 'Or enter a license').fill(text)
  await answer(page, 'PUT /api/v1/admin/license', 400, {})
  await check.click()
  await sees(screens.toast(page, 'Error inspecting license'))
  await page.unrouteAll()
  await check.click()
  await page.getByRole('button', { name: 'Apply license' }).waitFor()
  for (const [reply, told] of [
    [{}, 'Error applying license'],
    [{ code: 'invalid_license', error: 'It has expired meanwhile' }, 'It has expired meanwhile'],
  ] as const) {
    await answer(page, 'PUT /api/v1/admin/license', 400, reply)
    await page.getByRole('button', { name: 'Apply license' }).click()
    await sees(screens.toast(page, told))
    await page.unrouteAll()
  }
  await page.getByRole('button', { name: 'Apply license' }).click()
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
  const person = await platform().people.signIn(admin.username, admin.password)
  const { page } = await visitors.open(platform(), person)
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
