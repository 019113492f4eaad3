import type { TeamBilling } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  field,
  type Person,
  screens,
  sees,
  shot,
  until,
  untilState,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

// The stand-in of the payment provider: its checkout and its portal are pages of buttons.
const platform = usePlatform({ claimed: true, settings: () => ({ FORGE_BILLING_PROVIDER: 'test' }) })
const visitors = useVisitors()
let boss: Person

beforeAll(async () => {
  boss = await platform().people.signIn(admin.username, admin.password)
  const { types } = await boss.client.call('instanceType.list', { query: {} })
  const typeId = types[0]!.id
  await boss.client.call('instanceType.update', {
    params: { instanceTypeId: typeId },
    body: { properties: { billingDescription: '$10/month' } },
  })
  await boss.client.call('settings.update', {
    body: {
      'user:team:auto-create': true,
      'user:team:trial-mode': true,
      'user:team:trial-mode:duration': 14,
      'user:team:trial-mode:projectType': typeId,
    },
  })
})

/** Somebody whose own team begins with a trial of two weeks. */
async function trialist() {
  const email = 'trial@example.com'
  const body = { username: 'trial', name: 'Tess', email, password: admin.password, createDefaultTeam: true }
  await boss.client.call('user.create', { body })
  const person = await platform().people.signIn('trial', admin.password)
  const { teams } = await person.client.call('team.mine')
  return { person, team: teams[0]! }
}

test('[SHELL-43] [BILL-02] [BILL-10] [BILL-15] [BILL-16] A team is in its trial, ends it, pays, cancels and renews', async () => {
  const { person, team } = await trialist()
  const chargedForOne = async () => {
    const items = await until(
      async () => (await person.client.call('billing.get', { params: { teamId: team.id } })).items,
      (found) => found.length === 1,
    )
    expect(items).toMatchObject([{ name: 'Standard', quantity: 1, price: 1000 }])
  }
  const { page, expectProblem } = await visitors.open(platform(), person)
  const cell = (row: string) => page.getByRole('row').filter({ hasText: row }).getByRole('cell')
  await page.goto(`/team/${team.slug}/applications/create`)
  await sees(page.getByText('The trial of this team ends in 14 days.'), page.getByText('free in the trial'))
  await field(page, 'Application name').fill('Ovens')
  await shot(page, 'billing-trial-create')
  await button(page, 'Create Application').click()
  await page.waitForURL('**/application/*/instances*')
  const { projects } = await until(
    () => person.client.call('instance.listOfTeam', { params: { teamId: team.id }, query: {} }),
    (found) => found.projects.length === 1,
  )
  const instance = await untilState(person.client, projects[0]!.id, 'running')

  await page.goto(`/team/${team.slug}/instances/create`)
  await sees(page.getByText('The trial includes one instance, and this team has it.'))
  expect(await button(page, 'Create Instance').isDisabled()).toBe(true)
  await shot(page, 'billing-trial-full')
  await expect(
    createInstance(person.client, { name: 'second-one', applicationId: instance.application.id }),
  ).rejects.toMatchObject({ status: 402 })

  await page.goto(`/instance/${instance.id}/settings/change-type`)
  await sees(page.getByRole('radio', { name: /Standard.*\$10 \/ month/ }))

  await page.goto(`/team/${team.slug}/billing`)
  const { billing } = await boss.client.call('team.get', { params: { teamId: team.id } })
  const { trialEndsAt = '' } = billing as TeamBilling
  const ends = new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(trialEndsAt))
  await sees(page.getByText(`${ends} (14 days left)`))
  expect(await cell('Trial instance').allInnerTexts()).toEqual(['Trial instance', '1', '0.00', '0.00'])
  await shot(page, 'billing-trial')

  platform().people.endTrial(team.id, -1)
  await page.goto(`/team/${team.slug}/applications`)
  await page.waitForURL(`**/team/${team.slug}/billing`)
  await sees(page.getByText('Your trial has ended.'))
  await shot(page, 'billing-trial-ended')
  await untilState(person.client, instance.id, 'suspended')
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByText('Your trial has ended.'))
  // GATE-BILLING: the refusal is told, and the page stays.
  expectProblem(/status of 402/)
  await screens.menu.choose(page, 'Actions', 'Start')
  await sees(page.getByText('Set up payment for this team first'))
  expect(new URL(page.url()).pathname).toBe(`/instance/${instance.id}/overview`)
  await page.getByRole('link', { name: 'Go to Billing' }).click()
  await button(page, 'Setup Payment Details').click()
  await button(page, 'Complete').click()
  await page.waitForURL((url) => url.pathname === `/team/${team.slug}/applications` && url.search === '')
  await untilState(person.client, instance.id, 'running')
  await chargedForOne()

  await page.goto(`/team/${team.slug}/billing`)
  await sees(cell('Standard').first())
  await page.getByRole('link', { name: 'Customer Portal' }).click()
  await button(page, 'Cancel subscription').click()
  await page.getByRole('link', { name: 'Back' }).click()
  await sees(page.getByText('Your subscription has expired. Please renew it to continue using FlowForge.'))
  await untilState(person.client, instance.id, 'suspended')
  await button(page, 'Renew Subscription').click()
  await button(page, 'Complete').click()
  await page.waitForURL((url) => url.pathname === `/team/${team.slug}/applications` && url.search === '')
  await untilState(person.client, instance.id, 'running')
  await chargedForOne()
})
