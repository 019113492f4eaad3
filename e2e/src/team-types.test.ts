import { expect, test } from 'vitest'
import { admin, button, createTeam, field, openTeam, type Person, screens, sees, shot } from './harness/index.ts'

const { platform, visitors, owner } = await openTeam()
const boss = await platform().people.signIn(admin.username, admin.password)

const open = async (person: Person, path: string) => {
  const { page } = await visitors.open(platform(), person)
  await page.goto(path)
  return page
}
const typeOf = async (name: string, properties: object) =>
  boss.client.call('teamType.create', { body: { name, properties } })
/** A team of a type of its own with these properties. */
async function teamOf(name: string, properties: object) {
  const { team } = await createTeam(owner.client, name)
  const type = await typeOf(`Type of ${name}`, properties)
  await boss.client.call('team.changeType', { params: { teamId: team.id }, body: { type: type.id } })
  return { team, type }
}

test('[TEAM-29] [TEAM-30] An administrator creates a team type, and its tile shows the derived price', async () => {
  const page = await open(boss, '/admin/team-types')
  const tile = (name: string) => page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
  // The type of a new platform has no limits and costs nothing.
  await sees(tile('Standard').getByText('free', { exact: true }))
  expect(await tile('Standard').getByText('no limit').count()).toBe(3)
  await button(page, 'Create Team Type').click()
  await field(page, 'Name').fill('Starter')
  await field(page, 'Members and invitations').fill('many')
  await button(page, 'Create').click()
  await sees(page.getByText('Enter a whole number, or nothing'))
  const wrong = page.locator('[aria-invalid=true]:focus')
  await sees(field(page, 'Members and invitations').and(wrong))
  await field(page, 'Members and invitations').fill('0')
  await button(page, 'Create').click()
  await sees(page.getByText('Enter at least 1, or nothing for no limit'))
  await field(page, 'Members and invitations').fill('5')
  await field(page, 'Limit of Standard').fill('few')
  await button(page, 'Create').click()
  await sees(field(page, 'Limit of Standard').and(wrong))
  await field(page, 'Limit of Standard').fill('')
  await field(page, 'Instances').fill('2')
  await page.getByRole('checkbox', { name: 'Devices' }).click()
  await field(page, 'Per member and month, US$').fill('15.50')
  await shot(page, 'team-type-dialog')
  await button(page, 'Create').click()
  await sees(screens.toast(page, 'Team type created.'), tile('Starter').getByText('15.50 US$ per user per month'))
  const { types } = await boss.client.call('team.types', { query: { filter: 'active' } })
  expect(types.find(({ name }) => name === 'Starter')?.properties).toEqual({
    userLimit: 5,
    runtimeLimit: 2,
    features: { devices: false },
    billing: { userCost: 1550 },
  })
  await shot(page, 'team-types')
  await screens.menu.choose(page, 'Actions for Starter', 'Edit Team Type')
  await field(page, 'Price text').fill('$99/month')
  await button(page, 'Save').click()
  await sees(tile('Starter').getByText('$99/month', { exact: true }))
  expect(await tile('Starter').getByText('15.50 US$').count()).toBe(0)
  await page.goto('/team/create')
  await sees(page.getByRole('radio', { name: /Starter.*\$99\/month/s }))
  await page.goto('/admin/team-types')

  await screens.menu.choose(page, 'Actions for Standard', 'Delete Team Type')
  await sees(page.getByText('You cannot delete a team type that teams have.'))
  expect(await button(page, 'Delete').isDisabled()).toBe(true)
  await button(page, 'Cancel').click()
  await screens.menu.choose(page, 'Actions for Starter', 'Delete Team Type')
  await button(page, 'Delete').click()
  await expect.poll(() => tile('Starter').count()).toBe(0)
})

test('A changed type names the teams that exceed it before it is saved', async () => {
  const { team, type } = await teamOf('Crowded Bakery', {})
  const params = { teamId: team.id }
  platform().people.add('gast', { teamId: team.id, role: 10 })
  const page = await open(boss, '/admin/team-types')
  await screens.menu.choose(page, `Actions for ${type.name}`, 'Edit Team Type')
  await field(page, 'Members and invitations').fill('1')
  await button(page, 'Save').click()
  await sees(page.getByText('1 team exceeds these limits.'), page.getByText('2 of 1 members and invitations'))
  await shot(page, 'team-type-exceeded')
  expect((await boss.client.call('team.get', { params })).type.properties).toEqual({})
  await button(page, 'Save Anyway').click()
  await sees(screens.toast(page, 'Team type saved.'))
  expect((await boss.client.call('team.get', { params })).type.properties).toEqual({ userLimit: 1 })
  await page.goto('/admin/teams')
  await sees(page.getByRole('row').filter({ hasText: 'Crowded Bakery' }).getByText('2 of 1'))
})

test('Quotas are shown before they are reached, and what is used up cannot be asked for', async () => {
  const { team } = await teamOf('Small Bakery', { runtimeLimit: 1, deviceLimit: 1, userLimit: 3 })
  const page = await open(owner, `/team/${team.slug}/applications/create`)
  await sees(page.getByText('0 of 1 instances used.'))
  await field(page, 'Application name').fill('Ovens')
  await shot(page, 'quota-instances')
  await button(page, 'Create Application').click()
  await page.waitForURL('**/application/*/instances*')
  await page.goto(`/team/${team.slug}/instances/create`)
  await sees(page.getByText('1 of 1 instances used. The team type'))
  await expect.poll(() => button(page, 'Create Instance').isDisabled()).toBe(true)
  await shot(page, 'quota-instances-full')

  await page.goto(`/team/${team.slug}/devices`)
  await button(page, 'Add Device').first().click()
  await sees(page.getByText('0 of 1 devices used.'))
  await shot(page, 'quota-devices')
  await page.keyboard.press('Escape')
  await owner.client.call('device.create', { body: { name: 'Oven', type: '', team: team.id } })
  await page.reload()
  await button(page, 'Add Device').first().click()
  await sees(page.getByText('1 of 1 devices used.'))
  await page.keyboard.press('Escape')

  await page.goto(`/team/${team.slug}/members/general`)
  await button(page, 'Invite Member').click()
  await sees(page.getByText('1 of 3 members and invitations used.'))
  await shot(page, 'quota-members')
})

test('A team of a type without a feature does not see it, while others do', async () => {
  const { team } = await teamOf('Plain Bakery', { features: { devices: false, 'shared-library': false } })
  const page = await open(owner, `/team/${team.slug}/applications`)
  const menu = page.getByRole('navigation')
  await sees(menu.getByRole('link', { name: 'Members' }).first())
  expect(await menu.getByRole('link', { name: 'Devices' }).count()).toBe(0)
  await page.goto(`/team/${team.slug}/devices`)
  await sees(page.getByText('Devices are not available'))
  await page.goto(`/team/${team.slug}/library`)
  await sees(page.getByText('The shared library is not available'))
  await shot(page, 'feature-left-out')
  const { team: other } = await createTeam(owner.client, 'Other Bakery')
  await page.goto(`/team/${other.slug}/applications`)
  await sees(menu.getByRole('link', { name: 'Devices' }).first())
})

test('An administrator gives a team another type and is told what it has more of than that allows', async () => {
  const { team } = await createTeam(owner.client, 'Growing Bakery')
  const tight = await typeOf('Tight', { userLimit: 1 })
  platform().people.add('gert', { teamId: team.id, role: 10 })
  const mine = await open(owner, `/team/${team.slug}/settings/general`)
  await sees(field(mine, 'Team name'))
  expect(await button(mine, 'Change Type').count()).toBe(0)
  const page = await open(boss, `/team/${team.slug}/settings/general`)
  await button(page, 'Change Type').click()
  // The keyboard begins at the type that the team has.
  await page.locator('[role=radio][aria-checked=true]:focus').waitFor()
  await page.getByRole('radio', { name: tight.name }).click()
  await sees(page.getByText('The team has 2 of 1 members and invitations.'))
  await shot(page, 'team-type-change')
  await button(page, 'Change Type').last().click()
  await sees(page.getByText('The team type is Tight now.'))
  expect((await owner.client.call('team.get', { params: { teamId: team.id } })).type.name).toBe('Tight')
})
