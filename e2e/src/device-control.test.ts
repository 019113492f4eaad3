import { expect, test } from 'vitest'
import { startRunningDevice } from '../../apps/server/testing/index.ts'
import { button, openWorkshop, screens, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team } = await openWorkshop('oven-line')

const begin = async (name: string) =>
  startRunningDevice({ address: `http://127.0.0.1:${platform().port}`, owner, team }, { name })

test('[DEV-62] [DEV-63] A device is suspended and started on its page, which shows its state by itself, and says why not', async () => {
  const { device, agent } = await begin('Oven 3')
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  // A notification stands there twice: to be seen, and to be read aloud.
  const says = (text: string | RegExp) => page.getByText(text).first()
  const act = (action: string) => screens.menu.choose(page, 'Actions', action)
  await page.goto(`/device/${device.id}/overview`)
  await sees(says('running'))
  await shot(page, 'device-running')
  await act('Suspend')
  await shot(page, 'device-suspend')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Suspend' }).click()
  await sees(says('The flows of the device are being suspended.'), says('suspended'))
  await button(page, 'Actions').click()
  await sees(page.getByRole('menuitem', { name: 'Start', exact: true }))
  expect(await page.getByRole('menuitem', { name: 'Restart', exact: true }).getAttribute('aria-disabled')).toBe('true')
  await shot(page, 'device-suspended')
  await page.keyboard.press('Escape')
  await act('Start')
  await sees(says('running'))

  visitor.expectProblem(/409|503/)
  agent.refuse('Its flows are being changed.')
  await act('Restart')
  await sees(says('Failed to restart the device.'), says('The device did not restart. Its flows are being changed.'))
  await agent.end()
  // The broker may notice a moment later that it went.
  const restart = async () =>
    owner.client.call('deviceAction.restart', { params: { deviceId: device.id } }).then(String, String)
  await expect.poll(restart, { timeout: 60_000 }).toMatch(/is not connected to the broker/)
  await act('Restart')
  await sees(says(/is not connected to the broker/))
})

/** Reports to the platform in the place of the agent of a device. */
async function report({ id, credentials }: { id: string; credentials: { token: string } }, said: object) {
  const answer = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${id}/live/state`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(said),
  })
  expect(answer.status).toBe(200)
}

test('The page of a device says why its flows do not run, when they start again, and what to do', async () => {
  const { device } = await begin('Oven 7')
  const { page } = await visitors.open(platform(), owner)
  await page.goto(`/device/${device.id}/overview`)
  await sees(page.getByText('Deployment').first())
  const reason = 'Node-RED ended unexpectedly: Killed.'
  await report(device, { state: 'crashed', trouble: { reason, restart: { crashes: 3, afterMs: 90_000, safe: false } } })
  const notice = page.getByRole('alert').or(page.getByRole('status')).filter({ hasText: 'Node-RED crashed.' })
  await sees(notice.getByText(reason), notice.getByRole('button', { name: 'Start now' }))
  await shot(page, 'device-crashed')
  await report(device, { state: 'safe', trouble: { reason: 'It crashed 5 times in a row.' } })
  await sees(page.getByText('Safe mode: the flows are stopped.'), button(page, 'Restart'))
  await shot(page, 'device-safe')
  await report(device, { state: 'running', trouble: null })
  await page.getByText('Safe mode').first().waitFor({ state: 'detached' })
})

test('the page of a device draws the load that its agent reports, and nothing where it reports none', async () => {
  const { device } = await begin('Oven 5')
  const visitor = await visitors.open(platform(), owner)
  const { page } = visitor
  await page.goto(`/device/${device.id}/overview`)
  await sees(page.getByText('Deployment').first())
  expect(await page.getByRole('heading', { name: 'CPU' }).count()).toBe(0)
  await report(device, { state: 'running', load: { cpu: 0.12, memoryMb: 84, eventLoopDelayMs: 7 } })
  await page.reload()
  const chart = (name: string) => page.getByRole('region', { name, exact: true })
  await sees(
    chart('CPU').getByText('12 %').first(),
    chart('Memory').getByText('84 MB').first(),
    chart('Event loop delay').getByText('7 ms').first(),
  )
  expect(await chart('Requests').count()).toBe(0)
  await page
    .getByRole('radio', { name: '24 h' })
    .or(page.getByRole('button', { name: '24 h' }))
    .click()
  await sees(chart('Memory').getByText('84 MB').first())
  await chart('Memory').scrollIntoViewIfNeeded()
  await shot(page, 'device-load')
})
