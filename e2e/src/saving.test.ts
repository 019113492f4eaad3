import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { button, field, openWorkshop } from './harness/index.ts'

const { platform, visitors, owner, team, instance } = await openWorkshop('oven-line')

/** A page of somebody in a new browser. */
async function visit(path: string): Promise<Page> {
  const { page } = await visitors.open(platform(), owner)
  await page.goto(path)
  return page
}

const forms = [
  {
    form: 'a profile',
    path: '/account/settings',
    call: '/api/v1/user',
    save: 'Save changes',
    sent: ['Full name', 'Baker'],
    typed: ['Username', 'baker'],
  },
  {
    form: 'a team',
    path: `/team/${team.slug}/settings/general`,
    call: `/api/v1/teams/${team.id}`,
    save: 'Save team settings',
    sent: ['Team name', 'Night Bakery'],
    typed: ['URL slug', 'night-bakery'],
  },
  {
    form: 'an instance',
    path: `/instance/${instance.id}/settings/editor`,
    call: `/api/v1/projects/${instance.id}`,
    save: 'Save settings',
    sent: ['Editor title', 'Ovens'],
    typed: ['Editor URL path', '/ovens'],
  },
] as const

test.each(forms)(
  'what is typed into the settings of $form while they are saved stays, and is saved next',
  async (one) => {
    const { path, call, save, sent, typed } = one
    const page = await visit(path)
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(`**${call}`, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue()
      asked.resolve()
      await answer.promise
      await route.continue()
    })
    await field(page, sent[0]).fill(sent[1])
    await button(page, save).click()
    await asked.promise
    await field(page, typed[0]).fill(typed[1])
    const saved = () =>
      page.waitForResponse((reply) => reply.request().method() === 'PUT' && reply.url().endsWith(call))
    const first = saved()
    answer.resolve()
    expect((await first).status()).toBe(200)
    await expect.poll(() => button(page, save).isEnabled()).toBe(true)
    expect(await field(page, typed[0]).inputValue()).toBe(typed[1])
    expect(await field(page, sent[0]).inputValue()).toBe(sent[1])
    const second = saved()
    await button(page, save).click()
    const next = await second
    expect([next.status(), next.request().postData()]).toEqual([200, expect.stringContaining(typed[1])])
    await expect.poll(() => button(page, save).isDisabled()).toBe(true)
    expect(await field(page, typed[0]).inputValue()).toBe(typed[1])
  },
)
