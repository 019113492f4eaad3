import { type Instance, roles } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  bringFlows,
  createOwner,
  deployInEditor,
  deploys,
  editByHand,
  editorUser,
  helloFlow,
  openEditor,
  type Person,
  screens,
  sees,
  shot,
  startInstance,
  until,
  usePlatform,
  useVisitors,
  visitEditor,
} from './harness/index.ts'

/** Between the ports of other tests and those that the system gives to connections; another range for each process. */
const first = 31_100 + (process.pid % 300) * 5
const platform = usePlatform({
  claimed: true,
  settings: () => ({ FORGE_INSTANCE_PORTS: `${first}-${first + 4}` }),
})
const visitors = useVisitors()
let owner: Person
let team: { id: string }
let application: { id: string }
let instance: Instance

beforeAll(async () => {
  ;({ owner, team, application } = await createOwner(platform()))
  instance = await startInstance(owner.client, 'oven-line', application.id)
})

test('An instance on a port of its own is opened from the console, deployed to, and answers there', async () => {
  expect(instance.url).toBe(`http://localhost:${first}`)
  const visitor = await visitors.open(platform(), owner)
  const { page, context } = visitor
  await page.goto(`/instance/${instance.id}/overview`)
  await sees(page.getByRole('link', { name: `localhost:${first}` }).first())
  await shot(page, 'instance-on-a-port')
  const editor = await openEditor(visitor, () => page.getByRole('link', { name: 'Open Editor' }).first().click())
  expect(new URL(editor.url()).port).toBe(String(first))
  expect((await editorUser(editor)).username).toBe('bob')
  await deployInEditor(editor, helloFlow)
  await page.goto(`${instance.url}/hello?who=Ann`)
  await expect.poll(() => page.locator('body').innerText()).toBe('Hello Ann')

  // Two editors of one browser, whose cookies all ports of a host share.
  const other = await startInstance(owner.client, 'pack-line', application.id)
  const second = await visitEditor(visitor, other.url)
  await deployInEditor(second, helloFlow)
  await editByHand(editor, 'n2', 'greet', 'rye')
  await deploys(editor)
  const names = (await context.cookies(platform().url)).map(({ name }) => name)
  expect(names.filter((name) => name.endsWith('connect.sid')).toSorted()).toEqual([
    `i${first}.connect.sid`,
    `i${first + 1}.connect.sid`,
  ])
  await page.goto(`${platform().url}/instance/${instance.id}/overview`)
  await sees(screens.heading(page, 'Memory'))
})

test('A protected one lets a dashboard user in, who is signed in there alone, and no stranger', async () => {
  const [closed, open] = [
    await startInstance(owner.client, 'closed-line', application.id),
    await startInstance(owner.client, 'second-line', application.id),
  ]
  const protect = async ({ id }: Instance) => {
    const params = { instanceId: id }
    await bringFlows(owner.client, id, helloFlow)
    const { meta } = await owner.client.call('instance.get', { params })
    await owner.client.call('instance.update', { params, body: { settings: { httpNodeAuth_type: 'flowforge-user' } } })
    await owner.client.call('instance.restart', { params })
    await until(
      () => owner.client.call('instance.get', { params }),
      ({ meta: now }) => now.state === 'running' && now.lastStartTime !== meta.lastStartTime,
      45_000,
    )
  }
  await protect(closed)
  await protect(open)
  platform().people.add('frank', { teamId: team.id, role: roles.dashboard })
  const { page, context } = await visitors.open(platform(), await platform().people.signIn('frank', admin.password))
  for (const { url } of [closed, open, closed]) {
    await page.goto(`${url}/hello?who=Frank`)
    await expect.poll(() => page.locator('body').innerText()).toBe('Hello Frank')
  }
  const sessions = (await context.cookies(platform().url)).filter(({ name }) => name.endsWith('.forge_http'))
  expect(new Set(sessions.map(({ name }) => name)).size).toBe(2)
  platform().people.add('stranger')
  const stranger = await visitors.open(platform(), await platform().people.signIn('stranger', admin.password))
  await stranger.page.goto(`${closed.url}/hello`)
  await expect.poll(() => stranger.page.locator('body').innerText()).toMatch(/no access|not a member|denied/i)
})
