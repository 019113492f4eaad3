import { expect, test } from 'vitest'
import { admin, ask, momentOf, screens, sees, shot, until, usePlatform, useVisitors, type Visitor } from './harness/index.ts'

const platform = usePlatform({ claimed: false })
const visitors = useVisitors()
let visitor: Visitor

test('Without the one-time link nobody can claim the platform', async () => {
  expect(platform().server.link).toMatch(new RegExp(`^${platform().url}/setup#`))
  const { page } = await visitors.open(platform())
  await page.goto('/setup#not-the-token')
  await fillAdministrator(page)
  await sees(page.getByText('This set-up link is not valid (any more)').first())
  await page.goto('/')
  expect(await page.getByRole('button', { name: 'Login' }).isVisible()).toBe(true)
})

test('[SHELL-01] The link makes the administrator and a first team with a sample instance that runs', async () => {
  visitor = await visitors.open(platform())
  const { page } = visitor
  await page.goto(platform().server.link!)
  await shot(page, 'set-up')
  await fillAdministrator(page)
})

async function fillAdministrator(page: Visitor['page']): Promise<void> {
  await page.getByLabel(/^username/i).fill(admin.username)
  await page.getByLabel(/e-?mail/i).fill(admin.email)
  await page.getByLabel('Password', { exact: true }).fill(admin.password)
  void [ask, momentOf, screens, until]
}
