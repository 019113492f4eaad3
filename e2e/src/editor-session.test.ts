import { type Instance, roles } from '@app/contract'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  admin,
  button,
  createInstance,
  createTeam,
  deployInEditor,
  helloFlow,
  type Person,
  screens,
  sees,
  shot,
  signInThrough,
  until,
  untilState,
  usePlatform,
  useVisitors,
  visitEditor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let teamId: string
const instances = new Map<string, Instance>()

beforeAll(async () => {
  const { people } = platform()
  people.add('bob')
  owner = await people.signIn('bob', admin.password)
  const { team, application } = await createTeam(owner.client, 'Example Bakery')
  teamId = team.id
  for (const stack of ['4.1', '5.0']) {
    const name = `oven-${stack.replace('.', '')}`
    const { id } = await createInstance(owner.client, { name, applicationId: application.id, stack })
    instances.set(stack, await untilState(owner.client, id, 'running'))
  }
})

/** Renames a node of the flow in its dialog, as a person does, and marks the page to see that it stays. */
async function editByHand(page: Page, id: string, before: string, name: string): Promise<void> {
  await page.evaluate('globalThis.isSamePage = true; RED.workspaces.show("f1")')
  await page.locator(`#${id} .red-ui-flow-node`).first().dblclick()
  const input = page.locator('#node-input-name')
  // The dialog fills its fields once more after it has opened.
  const typed = async () => {
    const now = await input.inputValue()
    if (now === before) await input.fill(name)
    return now
  }
  await expect.poll(typed, { interval: 500 }).toBe(name)
  await page.locator('#node-dialog-ok').click()
  await page.locator('.red-ui-tray').waitFor({ state: 'detached' })
  expect(await page.evaluate(`RED.nodes.node("${id}").name`)).toBe(name)
}

/** The page was not left, and holds the change. */
async function keeps(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
  expect(await page.evaluate('RED.nodes.node("n2").name')).toBe(name)
}

const deployButton = '#red-ui-header-button-deploy'
async function deploys(page: Page): Promise<void> {
  await page.locator(`${deployButton}:not(.disabled)`).click()
  await page.getByText('Successfully deployed').first().waitFor()
}

/** The flows that the instance has; a deploy that was refused is in the list of versions too. */
const stored = async (id: string) => {
  const { versions } = await owner.client.call('version.list', { params: { instanceId: id } })
  const params = { instanceId: id, versionId: versions.find(({ current }) => current)!.id }
  return JSON.stringify(await owner.client.call('version.flows', { params }))
}

/** Waits for a running process that started after the one the instance had. */
async function restarted(id: string, before: string | undefined): Promise<void> {
  await until(
    () => owner.client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === 'running' && meta.lastStartTime !== before,
    60_000,
  )
}

/** Waits until this page is connected to the process that runs now. */
const reconnected = (id: string) =>
  until(
    () => owner.client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.editors !== undefined,
    45_000,
  )

describe.each(['4.1', '5.0'])('with Node-RED %s', (stack) => {
  test('undeployed work in an open editor outlives a restart, which names who has it open, and deploys afterwards', async () => {
    const { id, url } = instances.get(stack)!
    const visitor = await visitors.open(platform(), owner)
    const editor = await visitEditor(visitor, url)
    await deployInEditor(editor, helloFlow)
    await editByHand(editor, 'n2', 'greet', 'rye')
    await reconnected(id)
    const before = (await owner.client.call('instance.get', { params: { instanceId: id } })).meta.lastStartTime

    const { page } = visitor
    await page.bringToFront()
    await page.goto(`/instance/${id}/overview`)
    await sees(page.getByText('Editor open', { exact: true }).first())
    await shot(page, `instance-editor-open-${stack}`)
    await page.goto(`/instance/${id}/settings/general`)
    await button(page, 'Import Flows').click()
    await sees(page.getByRole('dialog').getByText('You have the editor open.'))
    await button(page, 'Cancel').click()
    await screens.menu.choose(page, 'Actions', 'Restart')
    const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'))
    await sees(dialog.getByText('You have the editor open.'))
    await shot(page, `restart-editor-open-${stack}`)
    await button(page, 'Restart').click()
    await restarted(id, before)

    await editor.bringToFront()
    await reconnected(id)
    await keeps(editor, 'rye')
    await deploys(editor)
    await keeps(editor, 'rye')
    expect(await stored(id)).toContain('"rye"')
  })

  test('a rollback under undeployed work makes the editor compare both, and neither is lost', async () => {
    const { id, url } = instances.get(stack)!
    const params = { instanceId: id }
    const snapshot = await owner.client.call('snapshot.create', { params, body: { name: 'before' } })
    const visitor = await visitors.open(platform(), owner)
    const editor = await visitEditor(visitor, url)
    await editByHand(editor, 'n3', '', 'answer')
    await deploys(editor)
    await until(
      () => stored(id),
      (flows) => flows.includes('"answer"'),
    )
    await editByHand(editor, 'n2', 'rye', 'wheat')
    await reconnected(id)
    const before = (await owner.client.call('instance.get', { params })).meta.lastStartTime
    await owner.client.call('deployment.rollback', { params, body: { snapshot: snapshot.id } })
    await restarted(id, before)
    await reconnected(id)
    await keeps(editor, 'wheat')
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    const merge = editor.locator('#red-ui-deploy-dialog-confirm-deploy-merge:not(.disabled)')
    await merge.waitFor()
    await editor.screenshot({ path: `screenshots/editor-conflict-${stack}.png` })
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
    const { id, url } = instances.get(stack)!
    const username = `carol${stack.replace('.', '')}`
    platform().people.add(username, { teamId, role: roles.member })
    const carol = await platform().people.signIn(username, admin.password)
    const visitor = await visitors.open(platform(), carol)
    const editor = await visitEditor(visitor, url)
    await editByHand(editor, 'n2', 'wheat', 'spelt')
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
