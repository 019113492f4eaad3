import { beforeAll, expect, test } from 'vitest'
import {
  ask,
  createOwner,
  momentOf,
  type Person,
  screens,
  sees,
  shot,
  startInstance,
  until,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const platform = usePlatform({
  claimed: true,
  settings: () => ({ FORGE_STEADY_SECONDS: '0', FORGE_WARM_PROCESSES: '2' }),
})
const visitors = useVisitors()
let owner: Person
let application: { id: string }

beforeAll(async () => {
  ;({ owner, application } = await createOwner(platform()))
})

test('One click gives the new instance a flow that answers, also a double click', async () => {
  const name = 'oven-line'
  const { id } = await startInstance(owner.client, name, application.id)
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/instance/${id}/overview`)
  await sees(screens.heading(page, 'Your first flow'), screens.heading(page, 'Memory'))
  await shot(page, 'first-flow')
  await page.getByRole('button', { name: 'Deploy an example' }).dblclick()
  await sees(page.getByRole('link', { name: `${platform().hostOf(name)}/hello` }))
  const { body } = await until(
    () => ask(platform(), name, '/hello?name=%3Cb%3Eyou'),
    ({ status }) => status === 200,
  )
  expect(body).toContain('Hello &lt;b&gt;you')
})

test('The console says "running" when the instance gives its first answer', async () => {
  const name = 'pack-line'
  const { id } = await startInstance(owner.client, name, application.id)
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/instance/${id}/overview`)
  await screens.menu.choose(page, 'Actions', 'Restart')
  await sees(screens.status(page, 'restarting'))
  const shown = momentOf(page, 'running')
  await until(
    () => ask(platform(), name),
    ({ status }) => status !== 200,
  )
  await until(
    () => ask(platform(), name),
    ({ status }) => status === 200,
    30_000,
  )
  const answered = Date.now()
  const lag = (await shown) - answered
  console.log(`the console says running ${lag} ms after the first answer of the instance`)
  expect(lag).toBeLessThan(2_000)
})
