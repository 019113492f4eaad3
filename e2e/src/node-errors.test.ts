import type { Instance } from '@app/contract'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  bringFlows,
  createInstance,
  openEditor,
  openTeam,
  postFlows,
  sees,
  shot,
  until,
  untilState,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()

const stacks = [
  { stack: '4.1', name: 'bakery-41' },
  { stack: '5.0', name: 'bakery-50' },
]

const code = { type: 'function', outputs: 1, timeout: 0, noerr: 0, libs: [], initialize: '', finalize: '', wires: [[]] }
const tab = { id: 'oven', type: 'tab', label: 'Oven line', disabled: false, info: '' }
const page = {
  id: 'in',
  z: 'oven',
  x: 120,
  y: 80,
  type: 'http in',
  name: '',
  url: '/bread',
  method: 'get',
  wires: [['answers']],
}
const answers = { id: 'answers', z: 'oven', x: 320, y: 80, type: 'http response', wires: [] }
const throws = {
  ...code,
  id: 'order',
  z: 'oven',
  x: 320,
  y: 160,
  name: 'order flour',
  func: 'return msg',
  initialize: "node.error(new TypeError('no flour left'))",
}
const flows = [
  tab,
  page,
  answers,
  { id: 'mixer', type: 'subflow', name: 'Mixer', info: '', category: '', in: [], out: [], env: [], color: '#DDAA99' },
  { ...code, id: 'mixes', z: 'mixer', x: 120, y: 80, name: 'mixes', func: '', initialize: "node.warn('too dry')" },
  { id: 'mixer1', type: 'subflow:mixer', z: 'oven', x: 120, y: 240, name: 'mixer 1', wires: [] },
  throws,
  { id: 'broker', type: 'mqtt-broker', name: 'plant', broker: '127.0.0.1', port: '1', autoConnect: true },
  { id: 'mqtt', z: 'oven', x: 120, y: 320, type: 'mqtt in', topic: 'a', qos: '0', broker: 'broker', wires: [[]] },
]

const instances = new Map<string, Instance>()
for (const { stack, name } of stacks) {
  const { id } = await createInstance(owner.client, { name, applicationId: application.id, stack })
  await untilState(owner.client, id, 'running')
  instances.set(name, await bringFlows(owner.client, id, flows))
}

const selected = (editor: Page) => editor.evaluate<string>('RED.view.selection().nodes?.[0]?.id ?? ""')
const shown = (editor: Page) => editor.evaluate<string>('RED.workspaces.active()')
/** Waits for the page that this opens. */
async function opened(visitor: Visitor, act: () => Promise<void>): Promise<Page> {
  const [other] = await Promise.all([visitor.context.waitForEvent('page'), act()])
  return other
}
const lineOf = (log: Page, text: string) => log.getByRole('log').getByText(text).first()
const heading = (log: Page) => log.getByRole('status', { name: 'Node' })

describe.each(stacks)('errors of nodes on Node-RED $stack', ({ stack, name }) => {
  const start = async () => {
    const instance = instances.get(name)!
    return { instance, visitor: await visitors.open(platform(), owner) }
  }
  const openLink = (log: Page, node: string) => log.getByRole('link', { name: `Open node ${node}` }).first()

  test('The overview names them; they lead to the node in the editor, whose dialog leads to its lines, until a deploy mends them', async () => {
    const { instance, visitor } = await start()
    await bringFlows(owner.client, instance.id, flows)
    await visitor.page.goto(`/instance/${instance.id}/overview`)
    const list = visitor.page.getByRole('list', { name: 'Errors in the flows' })
    await sees(list.getByText('order flour (function) on Oven line:'), list.getByText('TypeError: no flour left'))
    await sees(list.getByText('1 time,').first())
    if (stack === '5.0') await shot(visitor.page, 'instance-errors')
    const editor = await openEditor(visitor, () =>
      openLink(visitor.page, 'order flour (function) on Oven line').click(),
    )
    await sees(editor.getByText('Edit function node'))
    await until(
      () => selected(editor),
      (id) => id === 'order',
    )
    if (stack === '5.0') await editor.screenshot({ path: 'screenshots/editor-node-log.png' })
    const log = await opened(visitor, () => editor.getByRole('button', { name: 'Log', exact: true }).click())
    expect(new URL(log.url()).search).toBe('?node=order')
    await sees(heading(log).getByText('order flour (function) on Oven line'), lineOf(log, 'TypeError: no flour left'))
    expect(await log.getByText('Started flows').count()).toBe(0)
    if (stack === '5.0') await shot(log, 'instance-logs-node')

    expect(await postFlows(editor, [tab, page, answers])).toBe(204)
    await list.waitFor({ state: 'detached' })
    await sees(heading(log).getByText('deleted: the deployed flows no longer have it'), lineOf(log, 'no flour left'))
    if (stack === '5.0') await shot(log, 'instance-logs-node-deleted')
  })

  test('Lines lead to nodes in subflows and to configuration nodes; the keyboard leads from what is selected to its lines', async () => {
    const { instance, visitor } = await start()
    await bringFlows(owner.client, instance.id, flows)
    const { page: log } = visitor
    await log.goto(`/instance/${instance.id}/logs`)
    await sees(lineOf(log, 'too dry'), lineOf(log, 'no flour left'))
    if (stack === '5.0') await shot(log, 'instance-logs-nodes')
    const inner = 'mixes (function) on Mixer, in mixer 1 on Oven line'
    const inSubflow = await openEditor(visitor, () => openLink(log, inner).click())
    await sees(inSubflow.getByText('Edit function node'))
    expect(await shown(inSubflow)).toBe('mixer')
    await inSubflow.close()

    const editor = await openEditor(visitor, () => openLink(log, 'plant (mqtt-broker)').click())
    await sees(editor.getByText('Edit mqtt-broker node'))
    const ofBroker = await opened(visitor, () => editor.getByRole('button', { name: 'Log', exact: true }).click())
    await sees(heading(ofBroker).getByText('plant (mqtt-broker)'), lineOf(ofBroker, 'Connection failed'))
    await editor.getByRole('button', { name: 'Cancel' }).click()
    await editor.locator('.red-ui-tray').waitFor({ state: 'detached' })

    await editor.evaluate('RED.view.reveal("mixer1"), RED.view.select("mixer1"), RED.view.focus()')
    const ofMixer = await opened(visitor, async () => {
      await editor.keyboard.press('Control+g')
      await editor.keyboard.press('l')
    })
    await sees(heading(ofMixer).getByText('mixer 1 (subflow:mixer) on Oven line'), lineOf(ofMixer, 'too dry'))
    expect(await ofMixer.getByText('no flour left').count()).toBe(0)

    await editor.evaluate('RED.view.select({ nodes: [] })')
    await editor.locator('#red-ui-header-button-sidemenu').click()
    const ofTab = await opened(visitor, () => editor.getByText('Show log of node or flow').click())
    await sees(heading(ofTab).getByText('Oven line (tab)'), lineOf(ofTab, 'no flour left'))

    await log
      .getByRole('button', { name: `Only lines of ${inner}` })
      .first()
      .click()
    await log.waitForURL(/[?&]node=mixes/)
    await lineOf(log, 'Started flows').waitFor({ state: 'detached' })
    await log.getByRole('button', { name: 'Show all lines' }).click()
    await sees(lineOf(log, 'Started flows'))
  })
})
