import { beforeEach, expect, test } from 'vitest'
import {
  admin,
  button,
  createTeam,
  field,
  openConsole,
  screens,
  sees,
  shot,
  signInThrough,
  type Visitor,
} from './harness/index.ts'

// No mail server.
const { platform, visitors } = await openConsole()
const password = 'a fresh horse battery'
let visitor: Visitor
const { people } = platform()
people.add('bob')
const alice = await people.signIn(admin.username, admin.password)
const { team } = await createTeam(alice.client, 'Example Bakery')

beforeEach(async () => {
  visitor = await visitors.open(platform(), alice)
})

/** Copies a link in the dialog, and closes it. */
async function copyLink(role: string): Promise<string> {
  const { page } = visitor
  await page.goto(`/team/${team.slug}/members/general`)
  await button(page, 'Invite Member').click()
  await page.getByRole('radio', { name: new RegExp(`^${role}`) }).click()
  await button(page, 'Copy Invitation Link').click()
  await sees(page.getByText(/Works once, until/))
  await shot(page, 'invitation-link-dialog')
  const shown = await page.getByText(/invitation#ffin_/).innerText()
  await button(page, 'Cancel').click()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(shown)
  return shown
}

test('The dialog says why nobody can be invited by address, and leads to where accounts are made', async () => {
  const { page } = visitor
  await page.goto(`/team/${team.slug}/members/general`)
  await button(page, 'Invite Member').click()
  await sees(page.getByText('This platform cannot send mail.'))
  await page.getByRole('link', { name: 'Admin Settings, Users' }).click()
  await page.waitForURL('**/admin/users/general')
})

test('Who has no account signs up by the link and is in the team; the link is spent', async () => {
  const link = await copyLink('Viewer')
  const { page, expectProblem } = await visitors.open(platform())
  await page.goto(link)
  await sees(screens.heading(page, 'Join Example Bakery'), page.getByText('invites you into the team'))
  await shot(page, 'invitation-link')
  await button(page, 'Create Account').click()
  await field(page, 'Username').fill('erin')
  await field(page, 'Email').fill('erin@example.com')
  await field(page, 'Password').fill(password)
  await button(page, 'Sign Up').click()
  await sees(screens.heading(page, 'Your account is ready'))
  await page.getByRole('link', { name: 'Go to login' }).click()
  await signInThrough(page, 'erin', password)
  await page.waitForURL('**/team/example-bakery/applications')
  expectProblem(/404/)
  await page.goto(link)
  await sees(screens.heading(page, 'This invitation is not valid any more'))
  await shot(page, 'invitation-link-spent')
  const { members } = await alice.client.call('team.members', { params: { teamId: team.id } })
  expect(members.map(({ username, role }) => [username, role])).toContainEqual(['erin', 10])
})

test('Who has an account signs in and joins; an open link is in the list and can be removed', async () => {
  const link = await copyLink('Member')
  const { page } = await visitors.open(platform())
  await page.goto(link)
  await button(page, 'Sign in').click()
  await signInThrough(page, 'bob', admin.password)
  await sees(page.getByText('You are signed in as bob.'))
  await shot(page, 'invitation-link-join')
  await button(page, 'Join Example Bakery').click()
  await page.waitForURL('**/team/example-bakery/applications')

  const removed = await copyLink('Member')
  const { page: list } = visitor
  await list.getByRole('link', { name: 'Invitations (1)' }).click()
  await sees(list.getByRole('cell', { name: 'Anyone with the link', exact: true }))
  await shot(list, 'invitation-link-listed')
  await screens.menu.choose(list, 'Actions for Anyone with the link', 'Remove Invite')
  await sees(list.getByText('No open invitations'))
  const { page: late, expectProblem } = await visitors.open(platform())
  expectProblem(/404/)
  await late.goto(removed)
  await sees(screens.heading(late, 'This invitation is not valid any more'))
})
