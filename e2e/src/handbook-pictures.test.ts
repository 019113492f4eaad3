import { type Instance, roles } from '@app/contract'
import type { Page } from 'playwright-core'
import { beforeAll, test } from 'vitest'
import {
  adjust,
  admin,
  ask,
  bringFlows,
  createOwner,
  helloFlow,
  picture,
  type Person,
  screens,
  sees,
  startInstance,
  until,
  untilState,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

/* The pictures of the handbook. `npm run pictures` writes them; in any other run this shows that they can be made. */

const platform = usePlatform({ claimed: true })
const unclaimed = usePlatform({ claimed: false })
const visitors = useVisitors()
let owner: Person
let instance: Instance
let applicationId: string

const alarm = { id: 'd1', type: 'debug', z: 'f1', name: 'alarm', active: true, x: 520, y: 140, wires: [] }
const people = [
  ['mia', roles.member],
  ['tom', roles.member],
  ['vera', roles.viewer],
] as const

beforeAll(async () => {
  const made = await createOwner(platform())
  owner = made.owner
  applicationId = made.application.id
  for (const [name, role] of people) platform().people.add(name, { teamId: made.team.id, role })
  const { call } = owner.client
  const quality = await call('application.create', { body: { name: 'Quality control', teamId: made.team.id } })
  const development = await startInstance(owner.client, 'oven-line-dev', applicationId)
  instance = await startInstance(owner.client, 'oven-line', applicationId)
  const camera = await startInstance(owner.client, 'camera-check', quality.id)
  const printer = await startInstance(owner.client, 'label-printer', quality.id)
  await call('instance.suspend', { params: { instanceId: printer.id } })
  await untilState(owner.client, printer.id, 'suspended')
  for (const { id } of [camera, development]) await bringFlows(owner.client, id, helloFlow)
  const params = { instanceId: instance.id }
  await bringFlows(owner.client, instance.id, helloFlow)
  await call('snapshot.create', { params, body: { name: 'First shift', description: 'Runs since Monday' } })
  await bringFlows(owner.client, instance.id, [...helloFlow, alarm])
  await call('snapshot.create', { params, body: { name: 'With the new alarm' } })
  const { id: pipelineId } = await call('pipeline.create', { params: { applicationId }, body: { name: 'Oven line' } })
  await call('pipeline.addStage', { params: { pipelineId }, body: { name: 'Dev', instanceId: development.id } })
  await call('pipeline.addStage', { params: { pipelineId }, body: { name: 'Production', instanceId: instance.id } })
  for (const who of ['oven', 'baker', 'night shift'])
    await until(
      () => ask(platform(), 'oven-line', `/hello?who=${encodeURIComponent(who)}`),
      ({ status }) => status === 200,
    )
}, 180_000)

/** Opens a page of the owner and takes its picture once this text is there. */
async function take(page: Page, name: string, path: string, text: string, height?: number): Promise<void> {
  await page.goto(path)
  await sees(page.getByRole('main').getByText(text).first())
  await picture(page, name, height)
}

test('Pages of a team and an instance', { timeout: 180_000 }, async () => {
  const { page } = await visitors.open(platform(), owner)
  const here = (path: string) => `/instance/${instance.id}/${path}`
  // A day of work takes longer than a test.
  await adjust(page, `/api/v1/projects/${instance.id}/metrics`, (reply) => worked(reply as never))
  await take(page, 'applications', '/team/example-bakery/applications', 'label-printer', 600)
  await take(page, 'members', '/team/example-bakery/members/general', 'Vera Example', 480)
  await take(page, 'instance', here('overview'), 'Recent Activity')
  await take(page, 'history', here('history'), 'current', 480)
  await take(page, 'snapshots', here('snapshots'), 'With the new alarm', 480)
  await take(page, 'logs', here('logs'), 'greeted night shift')
  await take(page, 'pipelines', `/application/${applicationId}/pipelines`, 'Production', 560)
  await take(page, 'performance', here('performance?window=24h'), 'Requests')
  await sees(screens.heading(page, 'CPU'))
})

test('Pages of an administrator', { timeout: 180_000 }, async () => {
  const { page } = await visitors.open(platform(), await platform().people.signIn(admin.username, admin.password))
  await take(page, 'health', '/admin/health', 'Database')
  const { page: guest } = await visitors.open(unclaimed())
  await guest.goto(unclaimed().server.link!)
  await sees(screens.heading(guest, 'Set up FlowForge'))
  await picture(guest, 'set-up')
})

/** The measurements of an instance that was busy for a day. */
function worked(reply: { series: { cpu: unknown[] } }) {
  const { length } = reply.series.cpu
  const noise = (n: number) => (((n * 7919) % 97) / 97) * 0.1 + 0.95
  const along = (of: (share: number, n: number) => number) =>
    Array.from({ length }, (_, n) => of(n / length, n) * noise(n))
  return {
    ...reply,
    series: {
      cpu: along((share) => 0.12 + 0.09 * Math.sin(share * 14)),
      memory: along((share) => Math.round(96 + 12 * Math.sin(share * 5))),
      delay: along((_, n) => (n % 97 === 0 ? 24 : 4)),
      requests: along((share) => Math.round(240 + 200 * Math.sin(share * 9))),
    },
  }
}
