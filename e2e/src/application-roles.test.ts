import { expect, test } from 'vitest'
import { admin, button, createInstance, createOwner, field, openConsole, screens, sees, shot } from './harness/index.ts'

const { platform, visitors } = await openConsole()

test('[PERM-79] An owner lets a contractor into one application, who sees it and nothing else, and loses it at once', async () => {
  const boss = await platform().people.signIn(admin.username, admin.password)
  await boss.client.call('settings.update', { body: { 'team:application-roles': true } })
  const { owner, team, application } = await createOwner(platform())
  const { id: otherId } = await owner.client.call('application.create', { body: { name: 'Mixing', teamId: team.id } })
  const instance = await createInstance(owner.client, { name: 'oven-line', applicationId: application.id })
  const userId = platform().people.add('carla', { teamId: team.id, role: 10 })
  const carla = await platform().people.signIn('carla', admin.password)

  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/team/${team.slug}/members/general`)
  await screens.menu.choose(page, 'Actions for carla', 'Change Role')
  await page.getByRole('radio', { name: 'Limited' }).click()
  await shot(page, 'role-limited')
  await button(page, 'Change Role').click()
  await sees(page.getByText('None yet'))

  await page.goto(`/application/${application.id}/members`)
  await sees(page.getByText('Everybody has their role in the team'))
  await button(page, 'Add Member').click()
  await page.getByRole('combobox', { name: 'Member' }).click()
  await page.getByRole('option', { name: /carla/ }).click()
  await shot(page, 'application-member-dialog')
  await page.getByRole('dialog').getByRole('button', { name: 'Add Member' }).click()
  await sees(screens.toast(page, 'added'), page.getByRole('cell', { name: 'Limited' }))
  await shot(page, 'application-members')
  await page.goto(`/team/${team.slug}/members/general`)
  await sees(page.getByText('Oven line (Member)'))
  await shot(page, 'members-with-applications')

  const contractor = (await visitors.open(platform(), carla)).page
  await contractor.goto(`/team/${team.slug}/applications`)
  await sees(contractor.getByRole('main').getByText('Oven line'))
  expect(await contractor.getByText('Mixing').count()).toBe(0)
  for (const name of ['Library', 'Members', 'Team Settings'])
    expect(await contractor.getByRole('navigation').getByRole('link', { name, exact: true }).count()).toBe(0)
  await shot(contractor, 'applications-of-a-contractor')
  for (const page of ['library', 'members/general', 'audit-log', 'settings/general']) {
    await contractor.goto(`/team/${team.slug}/${page}`)
    await sees(contractor.getByText('You have access to single applications of this team.'))
  }
  await shot(contractor, 'no-access-of-a-contractor')
  for (const path of ['instances', 'devices', 'performance']) {
    await contractor.goto(`/team/${team.slug}/${path}`)
    await sees(contractor.getByRole('main').getByRole('heading').first())
    expect(await contractor.getByText('could not be loaded').count()).toBe(0)
  }
  await contractor.goto(`/application/${otherId}/instances`)
  await sees(contractor.getByRole('heading', { name: 'Page Not Found' }))
  for (const path of ['instances', 'pipelines', 'logs', 'activity', 'settings']) {
    await contractor.goto(`/application/${application.id}/${path}`)
    await sees(contractor.getByRole('main').getByRole('heading', { name: 'Oven line' }))
    expect(await contractor.getByText('could not be loaded').count()).toBe(0)
  }
  // A member there: they may make a snapshot, and not suspend.
  await contractor.goto(`/instance/${instance.id}/snapshots`)
  await sees(button(contractor, 'Create Snapshot').first())

  await contractor.goto(`/application/${application.id}/instances`)
  await sees(contractor.getByRole('main').getByText('oven-line').first())
  await owner.client.call('applicationMember.remove', {
    params: { teamId: team.id, applicationId: application.id, userId },
  })
  await contractor.getByRole('main').getByText('oven-line').first().waitFor({ state: 'detached' })
  // Nor does the side menu lead there.
  await expect.poll(() => contractor.getByRole('navigation').getByText('Oven line').count()).toBe(0)
  await shot(contractor, 'application-lost')
  await page.goto(`/application/${application.id}/members`)
  await sees(page.getByText('Everybody has their role in the team'))
  expect(await field(page, 'Member').count()).toBe(0)
})
