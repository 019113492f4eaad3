import { auditLabel } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import { admin, type Person, screens, sees, shot, usePlatform, useVisitors, type Visitor } from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let visitor: Visitor
let owner: Person

beforeAll(async () => {
  platform().people.add('bob')
  owner = await platform().people.signIn('bob', admin.password)
  visitor = await visitors.open(platform(), owner)
})

test('[TEAM-04] [TEAM-06] [TEAM-08] [TEAM-09] [TEAM-11] [TEAM-12] Creating a team derives its slug and checks that it is free', async () => {
  const { page } = visitor
  await page.goto('/team/create')
  const name = page.getByLabel(/team name|^name/i)
  const slug = page.getByLabel(/slug/i)
  await name.fill('Example Bakery & Söhne')
  await expect.poll(() => slug.inputValue()).toBe('example-bakery--shne')
  await name.fill('See https://example.com')
  await name.blur()
  await sees(page.getByText('Team name can not contain URL'))
  await name.fill('Example Bakery')
  await slug.fill('')
  await slug.blur()
  await sees(page.getByText('Must not be blank'))
  await slug.fill('Not A Slug')
  await sees(page.getByText('Must only contain a-z 0-9 - _'))
  await slug.fill('create')
  await sees(page.getByText('Slug unavailable'))
  await shot(page, 'team-create')
  await slug.fill('example-bakery')
  await page.getByRole('button', { name: /create team/i }).click()
  await page.waitForURL('**/team/example-bakery/applications')
})

test('[APP-05] [APP-06] [APP-30] [INST-03] An empty team says how to begin', async () => {
  const { page } = visitor
  await sees(page.getByText('Get Started with your First Application'))
  await shot(page, 'team-applications-empty')
  await page.goto('/team/example-bakery/instances')
  await sees(page.getByText('Get Started with your First Node-RED Instance'))
  await shot(page, 'team-instances-empty')
  await page.goto('/team/example-bakery/instances/create')
  await page.waitForURL('**/team/example-bakery/applications/create')
})

test('[INST-37] [INST-39] [APP-07] [APP-08] The first application comes with an instance of a random name', async () => {
  const { page } = visitor
  await shot(page, 'application-create')
  const names = page.getByLabel(/instance name/i)
  expect(await names.inputValue()).toMatch(/^[a-z]+-[a-z]+-[1-9]\d{3}$/)
  await names.fill('1st-oven')
  await names.blur()
  await sees(page.getByText('Names must only include a→z, A→Z, -, 0→9 and can not start with 0→9'))
  void [auditLabel, screens]
})
