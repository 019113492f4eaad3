import { roles, type Team } from '@app/contract'
import { beforeEach, expect, test } from 'vitest'
import {
  adjust,
  adjustSettings,
  admin,
  answer,
  button,
  createTeam,
  field,
  openTeam,
  screens,
  sees,
  shot,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner } = await openTeam()
let visitor: Visitor
let team: Team
for (const name of ['dora', 'erik']) platform().people.add(name)

/** Each test has a team of its own. */
let count = 0
beforeEach(async () => {
  ;({ team } = await createTeam(owner.client, `Bakery ${(count += 1)}`))
  visitor = await visitors.open(platform(), owner)
})

const page = (path: string) => `/team/${team.slug}/${path}`
const row = (at: Visitor['page'], text: string) => at.getByRole('row').filter({ hasText: text }).first()
const actions = (at: Visitor['page'], username: string) => at.getByRole('button', { name: `Actions for ${username}` })

test('[TEAM-15] [MEMB-02] [MEMB-23] Members stand in a table, by name or by the rank of their roles', async () => {
  const { people } = platform()
  const userId = people.add('mia', { teamId: team.id, role: roles.member })
  const { client } = await people.signIn(admin.username, admin.password)
  // Joined after Bob, and the name does not contain the user name.
  await client.call('user.update', { params: { userId }, body: { name: 'Ada Example' } })
  const { page: at } = visitor
  await at.goto(page('members'))
  await at.waitForURL(`**${page('members/general')}`)
  await sees(row(at, 'mia'), row(at, 'bob'), actions(at, 'bob'))
  expect((await at.getByRole('columnheader').allInnerTexts()).slice(0, 2)).toEqual(['User', 'Role'])
  const listed = async () => (await at.getByRole('row').allInnerTexts()).slice(1)
  expect(await listed()).toEqual([
    expect.stringMatching(/Ada Example\s+mia\s+Member/),
    expect.stringMatching(/Bob Example\s+bob\s+Owner/),
  ])
  await expect.poll(() => at.getByRole('table').locator('tbody img').count()).toBe(2)
  await shot(at, 'team-members')
  people.add('vic', { teamId: team.id, role: roles.viewer })
  people.add('fritz', { teamId: team.id, role: roles.dashboard })
  await at.reload()
  await sees(row(at, 'vic'))
  await at.getByRole('button', { name: 'Role', exact: true }).click()
  const ranks = async () => (await listed()).map((text) => /(Dashboard Only|Viewer|Member|Owner)\s*$/.exec(text)?.[1])
  await expect.poll(ranks).toEqual(['Dashboard Only', 'Viewer', 'Member', 'Owner'])
})

test('[MEMB-01] Members are searched by name, user name and role', async () => {
  const userId = platform().people.add('nele', { teamId: team.id, role: roles.member })
  const { client } = await platform().people.signIn(admin.username, admin.password)
  await client.call('user.update', { params: { userId }, body: { name: 'Ada Example' } })
  const { page: at } = visitor
  await at.goto(page('members/general'))
  for (const search of ['Ada Ex', 'nele', 'member']) {
    await at.getByLabel('Search Team Members...').fill('')
    await sees(row(at, 'bob'))
    await at.getByLabel('Search Team Members...').fill(search)
    await row(at, 'bob').waitFor({ state: 'detached' })
    await sees(row(at, 'nele'))
  }
})

test('[MEMB-14] [MEMB-15] The only owner keeps the role and stays; beside a second one the first may go', async () => {
  const { page: at } = visitor
  await at.goto(page('members/general'))
  const disabled = async () => {
    await actions(at, 'bob').click()
    const items = ['Change Role', 'Remove From Team'].map((name) => at.getByRole('menuitem', { name }))
    const are = await Promise.all(items.map((item) => item.getAttribute('aria-disabled')))
    await at.keyboard.press('Escape')
    return are.map((one) => one === 'true')
  }
  expect(await disabled()).toEqual([true, true])
  platform().people.add('olga', { teamId: team.id, role: roles.owner })
  await at.reload()
  await sees(row(at, 'olga'))
  expect(await disabled()).toEqual([false, false])
})

/** The dialog that invites, opened by an owner. */
async function openInvite() {
  const { page: at } = visitor
  await at.goto(page('members/general'))
  await button(at, 'Invite Member').click()
  return { at, send: button(at, 'Send Invite'), who: field(at, 'Invite') }
}

test('[MEMB-03] [MEMB-10] [MEMB-11] Somebody is invited by user name, where mail brings no invitations', async () => {
  const { at, send, who } = await openInvite()
  expect(await send.isDisabled()).toBe(true)
  await who.fill('   ')
  expect(await send.isDisabled()).toBe(true)
  await who.fill('a@b')
  await sees(at.getByText('Email invitations not available'))
  expect(await send.isDisabled()).toBe(true)
  await who.fill('dora')
  await expect.poll(() => send.isEnabled()).toBe(true)
})

test('[MEMB-18] [MEMB-19] Of several who are invited at once each is told of', async () => {
  const { at, send, who } = await openInvite()
  await who.fill('dora, nobody-at-all')
  await shot(at, 'team-invite')
  await send.click()
  await sees(
    at.getByText('Invite sent to dora').last(),
    at.getByText('Unable to invite nobody-at-all: There is no user of this name').last(),
  )
  // The refused name stays, to be corrected.
  await expect.poll(() => who.inputValue()).toBe('nobody-at-all')
  const why = at.getByText('nobody-at-all: There is no user of this name', { exact: true })
  await sees(why)
  await shot(at, 'team-invite-refused')
  await who.fill('nobody')
  await expect.poll(() => why.count()).toBe(0)
})

test('[MEMB-06] [MEMB-07] [MEMB-09] An invitation that is open is counted, listed and taken back', async () => {
  await owner.client.call('invitation.create', { params: { teamId: team.id }, body: { user: 'dora' } })
  const { page: at } = visitor
  await at.goto(page('members/general'))
  await at.getByRole('link', { name: 'Invitations (1)' }).click()
  await sees(row(at, 'dora'))
  expect((await at.getByRole('columnheader').allInnerTexts()).slice(0, 3)).toEqual(['User', 'Role', 'Expires In'])
  expect(await row(at, 'dora').innerText()).toMatch(/Member\s+in 6 days/)
  await shot(at, 'team-invitations')
  await screens.menu.choose(at, 'Actions for dora', 'Remove Invite')
  await sees(at.getByText('No open invitations'), at.getByRole('link', { name: 'Invitations (0)' }))
})

test('[MEMB-11] [MEMB-12] [MEMB-13] [MEMB-20] Invitations go out with a number for the role, say what failed, and end at the limit', async () => {
  const { page: at } = visitor
  await answer(at, `POST /api/v1/teams/${team.id}/invitations`, 400, {
    code: 'unexpected_error',
    error: 'It is broken',
    message: 'It is broken',
    statusCode: 400,
  })
  await at.goto(page('members/general'))
  await button(at, 'Invite Member').click()
  await field(at, 'Invite').fill('dora')
  const asked = at.waitForRequest((call) => call.method() === 'POST' && call.url().endsWith('/invitations'))
  await button(at, 'Send Invite').click()
  expect((await asked).postDataJSON()).toEqual({ user: 'dora', role: roles.member })
  await sees(at.getByText('Unable to invite users: It is broken').last())
  await adjustSettings(at, { 'team:user:invite:external': true })
  await at.reload()
  await button(at, 'Invite Member').click()
  await field(at, 'Invite').fill('a@b')
  await expect.poll(() => button(at, 'Send Invite').isEnabled()).toBe(true)
  expect(await at.getByText('Email invitations not available').count()).toBe(0)
  await at.unrouteAll()
  // One of the people is only invited.
  const params = { teamId: team.id }
  await owner.client.call('invitation.create', { params, body: { user: 'erik' } })
  const people = (await owner.client.call('team.members', { params })).count + 1
  const limited = (userLimit: number) => (reply: Record<string, unknown>) => ({
    ...reply,
    type: { ...(reply.type as object), properties: { userLimit } },
  })
  for (const [limit, full] of [
    [people, true],
    [people + 1, false],
    [0, false],
    [-1, false],
  ] as const) {
    await adjust(at, `/api/v1/teams/slug/${team.slug}`, limited(limit))
    await at.reload()
    await button(at, 'Invite Member').click()
    if (full) await sees(at.getByText('as many members and invitations as its type allows'))
    expect(await field(at, 'Invite').isDisabled()).toBe(full)
  }
})

test('[MEMB-04] [MEMB-05] [MEMB-16] [MEMB-17] [MEMB-23] A role changes at once, and a member who goes has nothing left', async () => {
  platform().people.add('nina', { teamId: team.id, role: roles.member })
  const { page: at } = visitor
  await at.goto(page('members/general'))
  await actions(at, 'nina').click()
  await at.getByRole('menuitem', { name: 'Change Role' }).click()
  const choices = await at.getByRole('radio').evaluateAll((all) => all.map((one) => one.getAttribute('value')))
  expect(new Set(choices)).toEqual(new Set(['50', '30', '10', '5']))
  for (const name of [/^Owner/, /^Member/, /^Viewer/, /^Dashboard Only/]) await sees(at.getByRole('radio', { name }))
  await at.getByRole('radio', { name: /Viewer/ }).click()
  await shot(at, 'team-role')
  await at.getByRole('button', { name: 'Change Role' }).click()
  await sees(screens.toast(at, "User's role successfully updated"))
  await expect.poll(() => row(at, 'nina').innerText()).toContain('Viewer')
  const nina = await platform().people.signIn('nina', admin.password)
  expect((await nina.client.call('team.mine')).teams.map(({ role }) => role)).toEqual([roles.viewer])
  await actions(at, 'nina').click()
  await at.getByRole('menuitem', { name: 'Remove From Team' }).click()
  await at.getByRole('button', { name: 'Remove', exact: true }).click()
  await sees(screens.toast(at, 'Nina Example successfully removed'))
  expect((await nina.client.call('team.mine')).teams).toEqual([])
})

/** A page of somebody new in the team, who has this role. */
async function openAs(role: 'member' | 'viewer', name: string) {
  platform().people.add(name, { teamId: team.id, role: roles[role] })
  return (await visitors.open(platform(), await platform().people.signIn(name, admin.password))).page
}

test.each([
  ['member', 'nora'],
  ['viewer', 'vera'],
] as const)(
  '[MEMB-03] [MEMB-04] [MEMB-05] [MEMB-08] A %s sees the members, and can change nothing',
  async (role, name) => {
    const at = await openAs(role, name)
    await at.goto(page('members/invitations'))
    await at.waitForURL(`**${page('members/general')}`)
    await sees(row(at, 'bob'))
    expect(await at.getByRole('button', { name: /Invite Member|Actions for/ }).count()).toBe(0)
  },
)

test.each([
  ['member', 'nina-two'],
  ['viewer', 'vesna'],
] as const)(
  '[TSET-01] [TEAM-19] [TEAM-21] A %s has the pages of the team, without those that govern it',
  async (role, name) => {
    const at = await openAs(role, name)
    await at.goto(page('settings/general'))
    await at.waitForURL(`**${page('applications')}`)
    const menu = at.getByRole('navigation').getByRole('link')
    expect(await menu.allInnerTexts()).toEqual([
      'Applications',
      'Instances',
      'Devices',
      'Library',
      'Performance',
      'Members',
    ])
  },
)

test('[TSET-02] [TEAM-16] The settings of a team are General, Devices and Danger, and begin with General', async () => {
  const { page: at } = visitor
  await at.goto(page('settings'))
  await at.waitForURL(`**${page('settings/general')}`)
  const menu = at.getByRole('navigation', { name: 'Team settings' }).getByRole('link')
  await sees(menu.first())
  expect(await menu.allInnerTexts()).toEqual(['General', 'Devices', 'Danger'])
  for (const [name, path, text] of [
    ['Devices', 'devices', 'Add Token'],
    ['Danger', 'danger', 'Delete Team'],
    ['General', 'general', 'URL slug'],
  ] as const) {
    await menu.filter({ hasText: name }).click()
    await at.waitForURL(`**${page(`settings/${path}`)}`)
    await sees(at.getByRole('main').getByText(text).first())
    expect(await menu.filter({ hasText: name }).getAttribute('aria-current')).toBe('page')
  }
})

test('[TSET-03] [TSET-04] [TSET-05] [TEAM-06] [TEAM-10] An owner renames the team, and its address follows', async () => {
  const { page: at } = visitor
  await createTeam(owner.client, 'Second')
  await at.goto(page('settings'))
  await at.waitForURL(`**${page('settings/general')}`)
  await sees(at.getByText(team.id), at.getByRole('group', { name: 'Team Type' }).getByText(team.type.name))
  // Its id and its type stand there, and can not be edited.
  expect(await at.getByRole('main').getByRole('textbox').count()).toBe(2)
  await at.getByLabel('Team name').fill('a://b')
  await at.getByLabel('URL slug').fill('second')
  await sees(at.getByText('Team name can not contain URL'))
  await at.getByLabel('Team name').fill('Example Mill')
  await at.getByRole('button', { name: 'Save team settings' }).click()
  await sees(at.getByText('Slug already in use'))
  await shot(at, 'team-settings')
  await at.getByLabel('URL slug').fill('example-mill')
  await at.getByRole('button', { name: 'Save team settings' }).click()
  await sees(screens.toast(at, 'Team Settings updated.'))
  await at.waitForURL('**/team/example-mill/settings/general')
  const renamed = { slug: 'example-mill', name: 'Example Mill' }
  expect(await owner.client.call('team.get', { params: { teamId: team.id } })).toMatchObject(renamed)
})

test('[TSET-07] [TSET-08] [TSET-09] [TSET-10] A team goes when it is empty and its name was typed', async () => {
  const { page: at } = visitor
  await createTeam(owner.client, 'Left over')
  await at.goto(page('settings/danger'))
  const button = at.getByRole('button', { name: 'Delete Team' })
  expect(await button.isDisabled()).toBe(true)
  const { applications } = await owner.client.call('application.listOfTeam', { params: { teamId: team.id } })
  for (const { id } of applications) await owner.client.call('application.delete', { params: { applicationId: id } })
  await at.reload()
  await button.click()
  const dialog = at.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill('Bakery')
  expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill(team.name)
  await shot(at, 'team-delete')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await sees(screens.toast(at, 'Team successfully deleted'))
  await at.waitForURL(({ pathname }) => pathname.endsWith('/applications') && !pathname.includes(`/${team.slug}/`))
})
