import type { Instance, Job } from '@app/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { openWorkshop, screens, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, application, instance } = await openWorkshop('oven-line')

/** The overview of the instance as it would be in another state, which takes minutes to come about. */
async function overviewIn(meta: Partial<Instance['meta']>): Promise<Page> {
  const { page } = await visitors.open(platform(), owner)
  await page.route(`**/api/v1/projects/${instance.id}`, async (route) => {
    const reply = await route.fetch()
    const body = (await reply.json()) as Instance
    await route.fulfill({ response: reply, json: { ...body, meta: { ...body.meta, ...meta } } })
  })
  await page.goto(`/instance/${instance.id}/overview`)
  return page
}
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

test('A crashed instance says why it crashed, when it starts again, and can be started at once', async () => {
  const reason = 'TypeError: Cannot read properties of undefined (reading "temperature")'
  const page = await overviewIn({ state: 'crashed', reason, restart: { crashes: 3, at: inSeconds(40), safe: false } })
  await sees(page.getByText(/It starts again in \d+ s, after the 3rd crash in a row\./))
  expect(await page.getByRole('alert').textContent()).toContain(reason)
  await sees(page.getByRole('button', { name: 'Start now' }))
  await shot(page, 'instance-crash-loop')
})

test('A protection that is saved and not in force yet says that nobody gets in until then, and offers the restart', async () => {
  const page = await overviewIn({ state: 'running', notInForce: { access: true } })
  await sees(
    page.getByText('Closed to everybody until the new protection takes effect.'),
    page.getByRole('button', { name: 'Restart' }),
  )
  await shot(page, 'instance-protection-not-in-force')
})

test('Modules that cannot be installed are named, and that the earlier ones run', async () => {
  const modules = 'npm could not install node-red-contrib-oven 9.9.9: there is no such version'
  const page = await overviewIn({ state: 'running', notInForce: { modules } })
  await sees(page.getByText('Running with its previous modules.'), page.getByRole('button', { name: 'Restart' }))
  expect(await page.getByRole('alert').or(page.getByRole('status')).allTextContents()).toContainEqual(
    expect.stringContaining(modules),
  )
  await shot(page, 'instance-modules-not-in-force')
})

test('Safe mode says that the flows are stopped, lets people into the editor, and offers a restart', async () => {
  const page = await overviewIn({ state: 'safe' })
  await sees(page.getByText('Safe mode: the flows are stopped.'), page.getByRole('button', { name: 'Restart' }))
  expect(await page.getByRole('link', { name: 'Open Editor' }).first().getAttribute('href')).toBe(instance.url)
  await shot(page, 'instance-safe-mode')
})

test('An instance that does not answer says so, and offers a restart', async () => {
  const reason = 'A flow has not let anything else run for 15 seconds and more: it may be in an endless loop.'
  const page = await overviewIn({ state: 'unknown', reason })
  await sees(page.getByText('The instance does not answer.'), page.getByText(reason).first())
})

test('Every page says when no server runs the instances', async () => {
  const { page } = await visitors.open(platform(), owner)
  const away = 'The server that runs the instances was last heard of 42 s ago'
  // The reply of a server that has the console alone, while the other one is gone.
  await page.route('**/api/v1/settings', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), 'instances:away': away } })
  })
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByRole('alert').filter({ hasText: 'was last heard of 42 s ago' }))
  await shot(page, 'instances-away')
})

test('The overview says plainly what does not keep instances apart', async () => {
  const { page } = await visitors.open(platform(), owner)
  const gaps = [
    'All instances run as the user of the platform, which is not root: their flows can read its files.',
    'The number of processes that flows start is not limited: the platform may not make control groups here.',
  ]
  await page.route('**/api/v1/settings', async (route) => {
    const reply = await route.fetch()
    await route.fulfill({ response: reply, json: { ...((await reply.json()) as object), 'driver:gaps': gaps } })
  })
  await page.goto(`/instance/${instance.id}/overview`)
  await page.getByText('what is missing').click()
  await sees(...gaps.map((gap) => page.getByText(gap)))
  await shot(page, 'instance-isolation')
})

test('A start that waits says which place in the queue it has', async () => {
  const { page } = await visitors.open(platform(), owner)
  await page.route(`**/api/v1/projects/${instance.id}/jobs`, async (route) => {
    const reply = await route.fetch()
    const { jobs } = (await reply.json()) as { jobs: Job[] }
    const { endedAt: _ended, startedAt: _started, ...job } = jobs[0]!
    const steps = job.steps.map(({ name }) => ({ name, state: 'waiting' }))
    await route.fulfill({
      response: reply,
      json: { count: 1, jobs: [{ ...job, state: 'queued', queuePosition: 3, steps }] },
    })
  })
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByText('3rd in the queue').first())
})

test('A stack that is not verified cannot be chosen, and says how far it is', async () => {
  const { page } = await visitors.open(platform(), owner)
  await page.route('**/api/v1/stacks?*', async (route) => {
    const reply = await route.fetch()
    const body = (await reply.json()) as { stacks: { label: string; meta: object }[] }
    const stacks = body.stacks.map((stack) =>
      stack.label.includes('4.1') ? { ...stack, meta: { state: 'verifying' } } : stack,
    )
    await route.fulfill({ response: reply, json: { ...body, stacks } })
  })
  await page.goto(`/application/${application.id}/instances/create`)
  await sees(page.getByText('Node-RED 4.1 is being tried; it can be chosen once it has started on trial.'))
  await page.getByRole('combobox', { name: 'Stack' }).click()
  const option = page.getByRole('option', { name: /Node-RED 4\.1/ })
  expect(await option.getAttribute('aria-disabled')).toBe('true')
  await shot(page, 'instance-create-unverified-stack')
  await page.keyboard.press('Escape')
  await sees(screens.heading(page, /instance/i))
})
