import { beforeAll, expect, test } from 'vitest'
import {
  button,
  createOwner,
  field,
  linkIn,
  type Person,
  screens,
  sees,
  shot,
  signInThrough,
  useMailbox,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const mailbox = useMailbox()
const platform = usePlatform({ claimed: true, settings: mailbox.settings })
const visitors = useVisitors()
const address = 'erin@example.com'
const password = 'a fresh horse battery'
let bob: Person
let team: { id: string }

beforeAll(async () => {
  ;({ owner: bob, team } = await createOwner(platform()))
  platform().people.set('team:user:invite:external', true)
})

test('[SIGNUP-01] [SIGNUP-03] [SIGNUP-07] [ATEAM-14] [SHELL-02] Who is invited by address signs up with it on a closed platform and is in the team', async () => {
  const params = { teamId: team.id }
  await bob.client.call('invitation.create', { params, body: { user: address } })
  const { page } = await visitors.open(platform())
  await page.goto(linkIn(await mailbox.take(address, /invited/i), platform()))
  await sees(page.getByText('Only people with an invitation can sign up here.'))
  expect(await field(page, 'Email').inputValue()).toBe(address)
  // No terms are required here.
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await field(page, 'Username').fill('erin')
  await field(page, 'Password').fill(password)
  await button(page, 'Sign Up').click()
  await sees(screens.heading(page, 'Your account is ready'), page.getByText('Sign in to join your team.'))
  await shot(page, 'sign-up-invited')
  await page.getByRole('link', { name: 'Go to login' }).click()
  await signInThrough(page, 'erin', password)
  await page.waitForURL('**/team/example-bakery/applications')
  const { members } = await bob.client.call('team.members', { params })
  expect(members.map(({ username, role }) => [username, role])).toContainEqual(['erin', 30])
})

test('A closed platform turns everybody else away', async () => {
  const { page } = await visitors.open(platform())
  await page.goto('/account/create')
  await field(page, 'Username').fill('frank')
  await field(page, 'Email').fill('frank@example.com')
  await field(page, 'Password').fill(password)
  await button(page, 'Sign Up').click()
  await sees(page.getByRole('alert').filter({ hasText: 'Sign-up is switched off on this platform' }))
  expect(await button(page, 'Sign Up').isEnabled()).toBe(true)
})
