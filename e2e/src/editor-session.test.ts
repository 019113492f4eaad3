import { type Instance, roles } from '@app/contract'
import { pushOptions } from '@app/contract/constants'
import { describe, expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  deployButton,
  deployInEditor,
  deploys,
  editByHand,
  helloFlow,
  keeps,
  openTeam,
  reconnected,
  restarted,
  screens,
  sees,
  shot,
  signInThrough,
  storedFlows,
  until,
  untilState,
  visitEditor,
} from './harness/index.ts'

const { platform, visitors, owner, team, application } = await openTeam()
const teamId = team.id
const applicationId = application.id

/** An instance of its own for each test, as none counts on what another one deployed. */
async function running(stack: string, purpose: string): Promise<Instance> {
  const name = `oven-${stack.replace('.', '')}-${purpose}`
  const { id } = await createInstance(owner.client, { name, applicationId, stack })
  return untilState(owner.client, id, 'running')
}

/** The contents of an instance, in both forms they can be brought back from. */
interface Before {
  snapshot: string
  flows: string
}

const stored = (id: string) => storedFlows(owner.client, id)

test('every way to replace flows or to restart says first who has the editor open', async () => {
  const { id, name, url } = await running('5.0', 'watched')
  const dev = await createInstance(owner.client, { name: 'oven-dev', applicationId })
  await untilState(owner.client, dev.id, 'running')
  const visitor = await visitors.open(platform(), owner)
  const editor = await visitEditor(visitor, url)
  await deployInEditor(editor, helloFlow)
  await owner.client.call('snapshot.create', { params: { instanceId: id }, body: { name: 'before' } })
  await editByHand(editor, 'n2', 'greet', 'rye')
  await deploys(editor)
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId },
    body: { name: 'Bread' },
  })
  for (const [stage, instanceId] of [
    ['Dev', dev.id],
    ['Live', id],
  ] as const)
    await owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name: stage, instanceId } })
  await reconnected(owner.client, id)

  const { page } = visitor
  await page.bringToFront()
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
  const named = async (text = 'You have the editor open.') => {
    await sees(dialog.getByText(text))
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await page.goto(`/instance/${id}/snapshots`)
  await screens.menu.choose(page, 'Actions on before', 'Rollback')
  await named()
  await page.goto(`/instance/${id}/history`)
  await page
    .getByRole('button', { name: /^Actions for Deployed/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Restore' }).click()
  await named()
  await page.goto(`/instance/${id}/settings/general`)
  await button(page, 'Change Stack').click()
  await named()
  await page.goto(`/application/${applicationId}/pipelines`)
  await button(page, 'Run Stage Dev').click()
  await named()
  await page.goto(`/application/${applicationId}/instances`)
  await page.getByRole('checkbox', { name: `Select ${name}` }).click()
  await page.getByRole('region', { name: 'Selected instances' }).getByRole('button', { name: 'Restart' }).click()
  await named(`Editors are open: ${name} (You).`)
})

describe.each(['4.1', '5.0'])('with Node-RED %s', (stack) => {
  test('undeployed work in an open editor outlives a restart, which names who has it open, and deploys afterwards', async () => {
    const { id, url } = await running(stack, 'restart')
    const visitor = await visitors.open(platform(), owner)
    const editor = await visitEditor(visitor, url)
    await deployInEditor(editor, helloFlow)
    await editByHand(editor, 'n2', 'greet', 'rye')
    await reconnected(owner.client, id)
    const before = (await owner.client.call('instance.get', { params: { instanceId: id } })).meta.lastStartTime

    const { page } = visitor
    await page.bringToFront()
    await page.goto(`/instance/${id}/overview`)
    await sees(page.getByText('Editor open', { exact: true }).first())
    await shot(page, `instance-editor-open-${stack}`)
    await page.goto(`/instance/${id}/settings/general`)
    await button(page, 'Import Instance').click()
    await sees(page.getByRole('dialog').getByText('You have the editor open.'))
    await button(page, 'Cancel').click()
    await screens.menu.choose(page, 'Actions', 'Restart')
    const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
    await sees(dialog.getByText('You have the editor open.'))
    await shot(page, `restart-editor-open-${stack}`)
    await button(page, 'Restart').click()
    await restarted(owner.client, id, before)

    await editor.bringToFront()
    await reconnected(owner.client, id)
    await keeps(editor, 'rye')
    await deploys(editor)
    await keeps(editor, 'rye')
    expect(await stored(id)).toContain('"rye"')
  })

  test.each([
    [
      'rollback',
      (instanceId: string, { snapshot }: Before) =>
        owner.client.call('deployment.rollback', { params: { instanceId }, body: { snapshot } }),
    ],
    [
      'import',
      (instanceId: string, { flows }: Before) =>
        owner.client.call('instance.import', { params: { instanceId }, body: { flows } }),
    ],
    [
      'push',
      async (instanceId: string, { flows }: Before) => {
        const { id } = await createInstance(owner.client, { name: `dev-${stack.replace('.', '')}`, applicationId })
        await untilState(owner.client, id, 'running')
        await owner.client.call('instance.import', { params: { instanceId: id }, body: { flows } })
        await until(
          () => owner.client.call('version.list', { params: { instanceId: id } }),
          ({ versions }) => versions.length > 0,
        )
        const body = { sourceProject: { id, options: pushOptions } }
        return owner.client.call('instance.update', { params: { instanceId }, body })
      },
    ],
  ])('%s under undeployed work makes the editor compare both, and neither is lost', async (way, bring) => {
    const { id, url } = await running(stack, way)
    const params = { instanceId: id }
    const visitor = await visitors.open(platform(), owner)
    const editor = await visitEditor(visitor, url)
    await deployInEditor(editor, helloFlow)
    const { id: snapshot } = await owner.client.call('snapshot.create', { params, body: { name: 'before' } })
    const before = { snapshot, flows: await stored(id) }
    await editByHand(editor, 'n3', '', 'answer')
    await deploys(editor)
    await until(
      () => stored(id),
      (flows) => flows.includes('"answer"'),
    )
    await editByHand(editor, 'n2', 'greet', 'wheat')
    await reconnected(owner.client, id)
    const start = (await owner.client.call('instance.get', { params })).meta.lastStartTime
    await bring(id, before)
    await restarted(owner.client, id, start)
    await reconnected(owner.client, id)
    await keeps(editor, 'wheat')
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    const merge = editor.locator('#red-ui-deploy-dialog-confirm-deploy-merge:not(.disabled)')
    await merge.waitFor()
    await editor.screenshot({ path: `screenshots/editor-conflict-${way}-${stack}.png` })
    await merge.click()
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    const merged = await until(
      () => stored(id),
      (flows) => flows.includes('"wheat"'),
    )
    expect(merged).not.toContain('"answer"')
    await keeps(editor, 'wheat')
  })

  test('after a session really ended, signing in again in a window of its own keeps the work, which deploys', async () => {
    const { id, url } = await running(stack, 'session')
    const username = `carol${stack.replace('.', '')}`
    platform().people.add(username, { teamId, role: roles.member })
    const carol = await platform().people.signIn(username, admin.password)
    const visitor = await visitors.open(platform(), carol)
    const editor = await visitEditor(visitor, url)
    await deployInEditor(editor, helloFlow)
    await editByHand(editor, 'n2', 'greet', 'spelt')
    await carol.client.call('account.logout')
    await editor.getByText('Your session has ended.').first().waitFor()
    await editor.screenshot({ path: `screenshots/editor-session-ended-${stack}.png` })
    const [popup] = await Promise.all([
      visitor.context.waitForEvent('page'),
      editor.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ])
    await signInThrough(popup, username, admin.password)
    await editor.getByText('You are signed in again.').first().waitFor()
    await until(async () => popup.isClosed(), Boolean)
    await keeps(editor, 'spelt')
    await deploys(editor)
    expect(await stored(id)).toContain('"spelt"')
  })
})
