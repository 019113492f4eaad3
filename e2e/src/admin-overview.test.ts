import { roles, type Team } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import {
  adjust,
  adjustSettings,
  admin,
  button,
  createTeam,
  openConsole,
  screens,
  sees,
  shot,
  typeFast,
  waitedFor,
} from './harness/index.ts'

const { platform, visitors } = await openConsole()
const boss = await platform().people.signIn(admin.username, admin.password)

const open = async (path: string, person = boss) => {
  const { page } = await visitors.open(platform(), person)
  await page.goto(`/admin/${path}`)
  return page
}
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text }).first()
const headers = async (page: Page) =>
  (await page.getByRole('columnheader').allInnerTexts()).filter((text) => text !== '' && text !== 'Actions')
/** The text of the card with this name, in one line. */
const words = async (page: Page, name: string) => {
  const section = page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
  return (await page.getByRole('region', { name }).or(section).first().innerText()).replace(/\s+/g, ' ')
}
/** Invites somebody new into a team, for as long as the test runs. */
async function invite(team: Team, user: string): Promise<void> {
  platform().people.add(user)
  const params = { teamId: team.id }
  await boss.client.call('invitation.create', { params, body: { user, role: roles.member } })
  onTestFinished(async () => {
    for (const { id } of (await boss.client.call('invitation.listOfTeam', { params })).invitations)
      await boss.client.call('invitation.withdraw', { params: { ...params, invitationId: id } })
  })
}

test('[ADM-01] [ADM-05] The admin area opens with the overview, and leads back to the team or to making one', async () => {
  await boss.client.call('user.update', { params: { userId: platform().people.add('anna') }, body: { admin: true } })
  const anna = await platform().people.signIn('anna', admin.password)
  const page = await open('', anna)
  await page.waitForURL('**/admin/overview')
  await sees(screens.heading(page, 'Admin Settings'))
  const back = page.getByRole('navigation').getByRole('link', { name: 'Create Team' })
  expect(await back.first().getAttribute('href')).toBe('/team/create')
  await createTeam(anna.client, 'Example Bakery')
  await page.reload()
  const toTeam = page.getByRole('link', { name: 'Back to Example Bakery' }).first()
  await sees(toTeam)
  expect(await toTeam.getAttribute('href')).toMatch(/^\/team\/example-bakery(\/applications)?$/)
})

test('[ADM-12] [ADM-14] [ADM-15] [ADM-16] The overview counts users, teams, instances and devices, with what is allowed', async () => {
  const before = await boss.client.call('admin.stats')
  const { team } = await createTeam(boss.client, 'Counted Bakery')
  await invite(team, 'dora')
  const page = await open('overview')
  const { userCount, adminCount, teamCount, inviteCount } = await boss.client.call('admin.stats')
  expect([userCount, adminCount, teamCount, inviteCount]).toEqual([
    before.userCount + 1,
    before.adminCount,
    before.teamCount + 1,
    before.inviteCount + 1,
  ])
  await sees(screens.heading(page, 'Admin Settings'), page.getByText(`${inviteCount} open`))
  expect(await words(page, 'Users')).toContain(
    `Users ${userCount} Maximum Unlimited Admins ${adminCount} Invites ${inviteCount} open`,
  )
  expect(await words(page, 'Teams')).toContain(`Teams ${teamCount} Maximum Unlimited`)
  expect(await words(page, 'Devices')).toContain('Devices 0 Maximum Unlimited')
  await shot(page, 'admin-overview')
  const limited = { maxUsers: 20, maxTeams: 5, instanceCount: 7, maxInstances: 12, deviceCount: 3, maxDevices: 30 }
  await adjust(page, '/api/v1/admin/stats', (reply) => ({
    ...reply,
    ...limited,
    instancesByState: { running: 4, suspended: 2, error: 1 },
  }))
  await page.reload()
  await sees(page.getByText('Running', { exact: true }))
  expect(await words(page, 'Users')).toContain(`Users ${userCount} Maximum 20`)
  expect(await words(page, 'Teams')).toContain(`Teams ${teamCount} Maximum 5`)
  expect(await words(page, 'Devices')).toContain('Devices 3 Maximum 30')
  expect(await words(page, 'Instances')).toContain('Instances 7 Maximum 12 Error 1 Running 4 Suspended 2')
})

test('[ADM-13] [ADM-14] The cards of the overview lead to users, invitations and teams', async () => {
  const { team } = await createTeam(boss.client, 'Linked Bakery')
  await invite(team, 'dirk')
  const page = await open('overview')
  for (const [name, path] of [
    [/^\d+ open$/, 'users/invitations'],
    ['All users', 'users/general'],
    ['All teams', 'teams'],
  ] as const) {
    await page.getByRole('link', { name }).click()
    await page.waitForURL(`**/admin/${path}`)
    await page.goBack()
  }
})

test('[ADM-17] [ADM-19] [ADM-20] The overview names the license and the versions', async () => {
  const page = await open('overview')
  await sees(
    page.getByText('Community Edition'),
    page.getByText(process.version),
    page.getByText((await boss.client.call('settings.get'))['version:forge']!, { exact: true }),
  )
  const license = { expiring: false, expired: false, daysRemaining: 900, PRE_EXPIRE_WARNING_DAYS: 30 }
  await adjustSettings(page, { license: { ...license, type: 'DEV', expiresAt: '2030-01-01T00:00:00.000Z' } })
  await page.reload()
  await sees(page.getByText('FlowForge Development Only'))
})

test('[ADM-07] [AUSER-33] [AUSER-34] The invitations that are open stand beside the users, and are taken back', async () => {
  const { team } = await createTeam(boss.client, 'Second Bakery')
  await invite(team, 'ines')
  const page = await open('users')
  await page.waitForURL('**/admin/users/general')
  await page.getByRole('link', { name: 'Invitations' }).last().click()
  await page.waitForURL('**/admin/users/invitations')
  await sees(row(page, 'ines'))
  expect(await headers(page)).toEqual(['User', 'Team', 'Invited By', 'Expires In'])
  expect(await row(page, 'ines').innerText()).toMatch(/Second Bakery[\s\S]*alice[\s\S]*in \d+ days/)
  await shot(page, 'admin-invitations')
  await screens.menu.choose(page, 'Actions for ines', 'Remove Invite')
  await row(page, 'ines').waitFor({ state: 'detached' })
  await sees(page.getByText('No open invitations'))
})

/** Teams for more than one page, the last of which is named. */
async function createTeams(last: string) {
  const type = (await boss.client.call('team.types', { query: {} })).types[0]!.id
  const names = [...Array.from({ length: 30 }, (_, n) => `Field of ${last} ${n}`), last]
  const made: { id: string }[] = []
  for (const name of names) made.push(await boss.client.call('team.create', { body: { name, type } }))
  onTestFinished(async () => {
    for (const { id } of made) await boss.client.call('team.delete', { params: { teamId: id } })
  })
  return made.at(-1)!
}

test('[ATEAMS-02] [ATEAMS-03] [ATEAMS-04] [CONST-10] [TEAM-25] All teams are listed 30 at a time, and opened by their row', async () => {
  await createTeams('Windmill')
  const { teamCount } = await boss.client.call('admin.stats')
  const page = await open('teams')
  await sees(row(page, 'Windmill'))
  expect(await headers(page)).toEqual(['Name', 'Type', 'Members', 'Application Instances'])
  expect(await page.getByRole('row').count()).toBe(31)
  await shot(page, 'admin-teams')
  await button(page, 'Load more...').click()
  await expect.poll(() => page.getByRole('row').count()).toBe(teamCount + 1)
  const windmill = page.getByRole('row').filter({ has: page.getByText('Windmill', { exact: true }) })
  expect(await windmill.innerText()).toMatch(/Windmill\s+Standard\s+1\s+0$/)
  await windmill.click()
  await page.waitForURL('**/team/windmill/applications')
  // The administrator is a member of this team, so visits nobody.
  await sees(screens.heading(page, 'Applications'))
  expect(await page.getByText(/^You are viewing this/).count()).toBe(0)
})

test('[ATEAMS-01] Teams are searched by name and id, with one call once the typing paused', async () => {
  const { id } = await createTeams('Watermill')
  await createTeam(boss.client, 'Bakery of the search')
  const page = await open('teams')
  const calls: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/teams?')) calls.push(new URL(request.url()).search)
  })
  await sees(row(page, 'Watermill'))
  calls.length = 0
  await typeFast(page, 'bakery of the s')
  await row(page, 'Watermill').waitFor({ state: 'detached' })
  await sees(row(page, 'Bakery of the search'))
  expect(calls).toEqual(['?limit=30&query=bakery+of+the+s'])
  const waited = await waitedFor(page, '/api/v1/teams')
  expect(waited).toBeGreaterThanOrEqual(299)
  expect(waited).toBeLessThan(2_000)
  await page.getByLabel('Search Teams...').fill(id)
  await sees(page.getByText('Watermill', { exact: true }))
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
})
