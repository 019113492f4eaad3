import { expect, test } from 'vitest'
import { createInstance, createTeam, openConsole, shot, untilState } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const { people } = platform()
people.add('bob')
const owner = await people.signIn('bob', 'correct horse battery')

test('[INST-20] Node-RED 4.1 and 5.0 run side by side, and each overview names what really runs', async () => {
  const { team, application } = await createTeam(owner.client, 'Version Lab')
  const made = await Promise.all(
    ['4.1', '5.0'].map((stack) =>
      createInstance(owner.client, { name: `lab-${stack.replace('.', '')}`, applicationId: application.id, stack }),
    ),
  )
  const ready = await Promise.all(made.map(({ id }) => untilState(owner.client, id, 'running')))
  expect(ready.map(({ meta }) => meta.versions?.['node-red'])).toEqual(['4.1.15', '5.0.7'])

  const { page } = await visitors.open(platform(), owner)
  for (const [instance, nodeRed] of [[ready[0]!, '4.1.15'] as const, [ready[1]!, '5.0.7'] as const]) {
    await page.goto(`/instance/${instance.id}/overview`)
    await page.getByText(nodeRed, { exact: true }).first().waitFor()
    await page.getByText(process.versions.node, { exact: false }).first().waitFor()
  }
  await page.goto(`/team/${team.slug}/instances`)
  await page.getByText('lab-41').first().waitFor()
  await shot(page, 'team-instances-two-versions')
})
