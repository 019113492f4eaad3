import type { Page, Route } from 'playwright-core'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  ask,
  bringFlows,
  button,
  helloFlow,
  openWorkshop,
  sees,
  startInstance,
  until,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, application, instance } = await openWorkshop('oven-line')
let visitor: Visitor
let other: { id: string; name: string }

beforeAll(async () => {
  other = await startInstance(owner.client, 'mixer-line', application.id)
  for (const { id } of [instance, other]) await bringFlows(owner.client, id, helloFlow)
})
beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

/** Keeps the calls that a page makes with this method to this path; `answer` lets them go. */
async function held(page: Page, method: string, path: string) {
  const gate = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (route.request().method() !== method) return route.fallback()
      began.resolve()
      await gate.promise
      return route.continue()
    },
  )
  return { began: began.promise, answer: gate.resolve }
}
const deployments = async ({ id: instanceId }: { id: string }) =>
  (await owner.client.call('deployment.list', { params: { instanceId }, query: {} })).deployments

test('An import that is answered late is told, and leaves the file that was chosen meanwhile', async () => {
  const { page } = visitor
  const saying = (word: string) =>
    Buffer.from(
      JSON.stringify(
        helloFlow.map((node) => ('func' in node ? { ...node, func: `msg.payload = '${word}'; return msg` } : node)),
      ),
    )
  const file = (name: string) => ({ name: `${name}.json`, mimeType: 'application/json', buffer: saying(name) })
  const { length: before } = await deployments(instance)
  await page.goto(`/instance/${instance.id}/settings/general`)
  const { began, answer } = await held(page, 'POST', `/api/v1/projects/${instance.id}/import`)
  const choose = async (name: string) => {
    await button(page, 'Import Instance').click()
    await page.getByLabel('Flow file').setInputFiles(file(name))
    await expect.poll(() => button(page, 'Import').isEnabled()).toBe(true)
  }
  await choose('first')
  await button(page, 'Import').dblclick()
  await began
  await page.keyboard.press('Escape')
  await choose('second')
  answer()
  // A toast behind a dialog has no role.
  await page.getByText('Instance flows imported.').first().waitFor()
  expect(await page.getByLabel('Flow file').inputValue()).toMatch(/second\.json$/)
  expect(await button(page, 'Import').isEnabled()).toBe(true)
  expect((await deployments(instance)).length).toBe(before + 1)
  await until(
    () => ask(platform(), instance.name, '/hello'),
    ({ body }) => body === 'first',
  )
})

test('A stage does not go on as deploying when its push fails and the stages cannot be read either', async () => {
  const { page } = visitor
  visitor.expectProblem(/status of 503/)
  const params = { applicationId: application.id }
  const { id: pipelineId } = await owner.client.call('pipeline.create', { params, body: { name: 'Bread' } })
  for (const [name, { id: instanceId }] of [['Dev', instance] as const, ['Production', other] as const])
    await owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
  await page.goto(`/application/${application.id}/pipelines`)
  await button(page, 'Run Stage Dev').click()
  await expect.poll(() => button(page, 'Push').isEnabled()).toBe(true)
  const refuse = async (route: Route) =>
    route.fulfill({ status: 503, json: { code: 'busy', error: 'Try again later.' } })
  await page.route((url) => url.pathname.startsWith('/api/v1/'), refuse)
  await button(page, 'Push').click()
  await page.getByText('Failed to deploy.').first().waitFor()
  await button(page, 'Cancel').click()
  const production = page.getByRole('listitem', { name: 'Production', exact: true })
  await sees(production.getByText('running', { exact: true }))
  // Ready to be pressed again.
  await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Run Stage Dev')
  expect((await deployments(other)).map(({ kind }) => kind)).not.toContain('push')
})
