import { beforeEach, expect, test } from 'vitest'
import { admin, openConsole, type Person, screens, sees, shot, type Visitor } from './harness/index.ts'

const { platform, visitors } = await openConsole()
let person: Person
let visitor: Visitor

/** A person of its own for each test, who has no tokens. */
beforeEach(async ({ task }) => {
  const { people } = platform()
  const name = `bob-${task.id.replaceAll(/\W/g, '')}`
  people.add(name)
  person = await people.signIn(name, admin.password)
  visitor = await visitors.open(platform(), person)
})

const dialog = () => visitor.page.getByRole('dialog')
const focused = (page: Visitor['page']) => page.evaluate<string>('document.activeElement.textContent')
const call = (path: string, token: string) =>
  fetch(`http://127.0.0.1:${platform().port}${path}`, { headers: { authorization: `Bearer ${token}` } })

test('Nobody has access tokens at first; what is missing in the form is said beside its field', async () => {
  const { page } = visitor
  await page.goto('/account/security/tokens')
  await sees(page.getByText('No access tokens yet'))
  await shot(page, 'tokens-none')
  await page.getByRole('button', { name: 'Create Token' }).click()
  await dialog().getByRole('button', { name: 'Create Token' }).click()
  await sees(dialog().getByText('Give it a name'), dialog().getByText('Choose at least one'))
  await shot(page, 'tokens-create')
})

test('A token is made with a name, an expiry and scopes, and shown once', async () => {
  const { page } = visitor
  await page.goto('/account/security/tokens')
  await page.getByRole('button', { name: 'Create Token' }).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Nightly report')
  await dialog().getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'in 30 days' }).click()
  await dialog().getByRole('checkbox', { name: 'List the teams of a user' }).click()
  await dialog().getByRole('checkbox', { name: 'Catalogue' }).click()
  await dialog().getByRole('button', { name: 'Create Token' }).click()
  await sees(screens.heading(page, 'Token “Nightly report”'))
  await dialog().getByRole('button', { name: 'Copy access token' }).click()
  const token = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(token).toMatch(/^ffpat_[0-9A-Za-z]{49}$/)
  await shot(page, 'tokens-made')
  await dialog().getByRole('button', { name: 'I have saved it' }).click()
  await sees(page.getByRole('cell', { name: 'Nightly report', exact: true }), page.getByText('7 scopes'))
  expect(await page.getByText(token).count()).toBe(0)
  // The button of the empty list is gone; the one beside the heading does the same.
  expect(await focused(page)).toBe('Create Token')
})

test('While a token is being made its window does not close, so that it is shown', async () => {
  const { page } = visitor
  const answer = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await page.route('**/api/v1/user/tokens', async (route) => {
    if (route.request().method() === 'POST') {
      asked.resolve()
      await answer.promise
    }
    await route.continue()
  })
  await page.goto('/account/security/tokens')
  await page.getByRole('button', { name: 'Create Token' }).click()
  await dialog().getByRole('textbox', { name: 'Name' }).fill('Nightly report')
  await dialog().getByRole('checkbox', { name: 'List the teams of a user' }).click()
  await dialog().getByRole('button', { name: 'Create Token' }).click()
  await asked.promise
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  expect(await dialog().getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  expect(await dialog().getByRole('button', { name: 'Close' }).isDisabled()).toBe(true)
  await shot(page, 'tokens-making')
  answer.resolve()
  await sees(screens.heading(page, 'Token “Nightly report”'))
  await page.keyboard.press('Escape')
  await expect.poll(() => dialog().count()).toBe(0)
})

test('A program calls with it, within its scopes; the page tells when, and revokes it at once', async () => {
  const { page } = visitor
  const expiresAt = new Date(Date.now() + 30 * 86_400_000).toISOString()
  const body = { name: 'Nightly report', scopes: ['user:team:list' as const], expiresAt }
  const { token } = await person.client.call('tokens.create', { body })
  expect((await call('/api/v1/user/teams', token)).status).toBe(200)
  expect((await call('/api/v1/user', token)).status).toBe(403)
  await page.goto('/account/security/tokens')
  await sees(page.getByRole('cell', { name: 'just now' }), page.getByText('in 4 weeks'))
  await shot(page, 'tokens')
  await page.getByRole('button', { name: 'Revoke Nightly report' }).click()
  await sees(page.getByText(/are refused at once/))
  await page.getByRole('button', { name: 'Revoke', exact: true }).click()
  await sees(screens.toast(page, 'Access token revoked.'), page.getByText('No access tokens yet'))
  await expect.poll(() => focused(page)).toBe('Create Token')
  expect((await call('/api/v1/user/teams', token)).status).toBe(401)
})
