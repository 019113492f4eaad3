import { expect, test } from 'vitest'
import {
  ask,
  deployInEditor,
  helloFlow,
  openTeam,
  screens,
  sees,
  shot,
  startInstance,
  untilState,
  visitEditor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam('Night Shift')

test('An instance that is told to sleep falls asleep when nobody asks it anything, and wakes for the next request', async () => {
  const instance = await startInstance(owner.client, 'night-oven', application.id)
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  const editor = await visitEditor(visitor, instance.url)
  await deployInEditor(editor, helloFlow)
  await editor.close()

  await page.goto(`/instance/${instance.id}/overview`)
  const sleep = page.getByRole('switch', { name: 'Sleep when idle' })
  expect(await sleep.isChecked()).toBe(false)
  await sleep.click()
  await sees(page.getByText('When there are no requests for'))
  await sees(page.getByText(/MB/).first())
  // The shortest time, which no list offers.
  await owner.client.call('instance.update', {
    params: { instanceId: instance.id },
    body: { settings: { sleep: { enabled: true, after: 10 } } },
  })
  await untilState(owner.client, instance.id, 'suspended')
  await sees(screens.status(page, 'sleeping'))
  await page.getByText('10 seconds').scrollIntoViewIfNeeded()
  await shot(page, 'instance-sleeping')

  const asked = performance.now()
  const answer = await ask(platform(), instance.name, '/hello?who=Moon')
  expect([answer.status, answer.body]).toEqual([200, 'Hello Moon'])
  console.log(`woken and answered after ${Math.round(performance.now() - asked)} ms`)
  await sees(screens.status(page, 'running'))
})

test('An instance whose flows would miss something says why it stays awake', async () => {
  const instance = await startInstance(owner.client, 'night-clock', application.id)
  await owner.client.call('instance.update', {
    params: { instanceId: instance.id },
    body: { settings: { sleep: { enabled: true, after: 600 } } },
  })
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/overview`)
  const editor = await visitEditor(visitor, instance.url)
  await deployInEditor(editor, [
    { id: 'f9', type: 'tab', label: 'Clock' },
    { id: 'c1', type: 'inject', z: 'f9', name: 'every hour', props: [], repeat: '3600', x: 100, y: 80, wires: [[]] },
  ])
  await editor.close()
  await sees(page.getByRole('status').getByText('On, but prevented.'))
  await sees(page.getByText(/The inject node "every hour" runs by the clock/))
  await page.getByText(/The inject node "every hour"/).scrollIntoViewIfNeeded()
  await shot(page, 'instance-stays-awake')
})
