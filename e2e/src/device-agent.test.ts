import { expect, test } from 'vitest'
import { button, openWorkshop, sees, shot } from './harness/index.ts'

const { platform, visitors, owner, team } = await openWorkshop('oven-line')

/** A device, and what its agent says. */
async function begin(name: string) {
  const { id, credentials } = await owner.client.call('device.create', { body: { name, type: 'Pi', team: team.id } })
  return {
    id,
    report: async (said: object) => {
      const answer = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${id}/live/state`, {
        method: 'POST',
        headers: { authorization: `Bearer ${credentials.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ state: 'running', snapshot: null, ...said }),
      })
      return (await answer.json()) as { agentOrder?: { id: string; version: string } }
    },
  }
}

test('[DEV-64] [DEV-65] The page of a device updates its agent, and says how that went or why it cannot', async () => {
  const { page } = await visitors.open(platform(), owner)
  const says = (text: string | RegExp) => page.getByText(text).first()
  const { id, report } = await begin('Oven 3')
  const ours = { agent: 'one', agentVersion: '0.0.1', updater: 'self' }
  await report(ours)
  await page.goto(`/device/${id}/overview`)
  await sees(says(/^0\.0\.1 \(\d+\.\d+\.\d+ is available\)$/))
  await shot(page, 'device-agent-outdated')
  await button(page, 'Update Agent').click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Update Agent' }).click()
  await sees(says('The agent was told to update.'), says(/^Update to .* requested/))
  expect(await button(page, 'Update Agent').count()).toBe(0)

  const { agentOrder } = await report(ours)
  const { id: order, version } = agentOrder!
  const message = `Version 0.2.0 ended: no /opt/flowforge-agent/${'node_modules/'.repeat(8)}main.js. Version 0.0.1 runs again.`
  await report({ ...ours, agentUpdate: { id: order, version, state: 'failed', code: 'update_not_home', message } })
  await sees(says(/^The update to .* failed/), says(/Version 0\.0\.1 runs again\./), button(page, 'Update Agent'))
  const within = await says(/^The update to .* failed/).evaluate(
    (it) => it.scrollWidth <= it.closest('dd')!.clientWidth,
  )
  expect(within).toBe(true)
  await shot(page, 'device-agent-failed')

  await report({ ...ours, updater: 'image' })
  await sees(says('Start a newer container image on the same volume to update.'))
  expect(await button(page, 'Update Agent').count()).toBe(0)
  const other = await begin('Oven 4')
  await other.report({ agentVersion: '4.2.1' })
  await page.goto(`/device/${other.id}/overview`)
  await sees(says('This is not flowforge-agent, so the platform cannot update it.'))
})
