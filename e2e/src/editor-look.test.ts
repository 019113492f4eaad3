import type { Instance } from '@app/contract'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { paleIn } from './harness/contrast.ts'
import {
  admin,
  createInstance,
  deployInEditor,
  openTeam,
  screenshots,
  until,
  untilState,
  visitEditor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()
const looks = [
  { stack: '4.1', theme: 'forge-light', name: 'light-41' },
  { stack: '4.1', theme: 'forge-dark', name: 'dark-41' },
  { stack: '5.0', theme: 'forge-light', name: 'light-50' },
  { stack: '5.0', theme: 'forge-dark', name: 'dark-50' },
] as const
/** The icon that the template gives its instances. */
const icon = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E'
const alice = await platform().people.signIn(admin.username, admin.password)
const { templates } = await alice.client.call('template.list', { query: {} })
await alice.client.call('template.update', {
  params: { templateId: templates[0]!.id },
  body: { settings: { page: { favicon: icon } } },
})
const instances = new Map<string, Instance>()
for (const { stack, theme, name } of looks) {
  const { id } = await createInstance(owner.client, { name, applicationId: application.id, stack })
  const params = { instanceId: id }
  const before = await untilState(owner.client, id, 'running')
  await owner.client.call('instance.update', { params, body: { settings: { theme } } })
  await owner.client.call('instance.restart', { params })
  const ready = await until(
    () => owner.client.call('instance.get', { params }),
    ({ meta }) => meta.state === 'running' && meta.lastStartTime !== before.meta.lastStartTime,
    45_000,
  )
  instances.set(name, ready)
}

const flow = [
  { id: 'f1', type: 'tab', label: 'Oven line', disabled: false, info: '' },
  {
    id: 'tick',
    type: 'inject',
    z: 'f1',
    name: 'tick',
    props: [{ p: 'payload' }],
    repeat: '',
    once: true,
    onceDelay: '1',
    payload: '{"oven":1,"hot":true,"note":"rye","empty":null}',
    payloadType: 'json',
    x: 140,
    y: 80,
    wires: [['show']],
  },
  {
    id: 'show',
    type: 'debug',
    z: 'f1',
    name: 'show',
    active: true,
    tosidebar: true,
    complete: 'payload',
    x: 340,
    y: 80,
    wires: [],
  },
]

/** Opens what the selector names by this action of the editor, and closes it with Escape afterwards. */
async function inDialog(page: Page, action: string, selector: string, look: () => Promise<void>): Promise<void> {
  await page.evaluate(`RED.actions.invoke(${JSON.stringify(action)})`)
  await page.locator(selector).first().waitFor()
  // Trays and menus slide in.
  await page.waitForFunction('document.getAnimations().length === 0 && $(":animated").length === 0')
  await look()
}

describe.each(looks)('the editor of Node-RED $stack in $theme', ({ name }) => {
  test('can be read: header, menu, dialogs, panels and debug messages', async () => {
    const instance = instances.get(name)!
    const page = await visitEditor(await visitors.open(platform(), owner), instance.url)
    const pale: string[] = []
    const look = async (part: string, ...selectors: string[]) => {
      await page.screenshot({ path: `${screenshots}/editor-${name}-${part}.png`, animations: 'disabled' })
      for (const fault of await paleIn(page, selectors)) pale.push(`${part}: ${fault}`)
    }

    await page.locator('#menu-item-forge').waitFor({ state: 'attached' })
    await look('clean', '#red-ui-header', '#red-ui-palette', '#red-ui-workspace-tabs', '#red-ui-sidebar')
    await deployInEditor(page, flow)
    await page.evaluate('RED.actions.invoke("core:show-debug-tab")')
    await page.locator('.red-ui-debug-msg').first().waitFor()
    await page.locator('.red-ui-debug-msg .red-ui-debug-msg-element').first().click()
    await page.evaluate('RED.nodes.dirty(true)')
    await look('debug', '#red-ui-header', '#red-ui-sidebar', '#red-ui-sidebar-container')
    await page.evaluate('RED.view.select("tick"); RED.actions.invoke("core:show-info-tab")')
    await look('information', '#red-ui-sidebar', '#red-ui-sidebar-container')

    await page.locator('#red-ui-header-button-sidemenu').click()
    await page.locator('#menu-item-import').waitFor()
    await look('menu', '#red-ui-header', '#red-ui-header-button-sidemenu-submenu')
    await page.keyboard.press('Escape')
    await page.locator('#red-ui-workspace-chart').click({ position: { x: 300, y: 300 } })

    await inDialog(page, 'core:show-import-dialog', '.ui-dialog:visible', async () => look('import', '.ui-dialog'))
    await page.locator('.ui-dialog:visible .ui-dialog-buttonpane button').first().click()
    for (const [part, action] of [
      ['settings', 'core:show-user-settings'],
      ['palette', 'core:manage-palette'],
    ] as const) {
      await inDialog(page, action, '.red-ui-tray', async () => look(part, '.red-ui-tray'))
      await page.locator('.red-ui-tray-toolbar button').last().click()
      await page.locator('.red-ui-tray').waitFor({ state: 'detached' })
    }
    expect(pale).toEqual([])
  })

  test('names the instance in header and tab, and leads back to its page', async () => {
    const instance = instances.get(name)!
    const page = await visitEditor(await visitors.open(platform(), owner), instance.url)
    expect(await page.title()).toMatch(new RegExp(`^${name} · FlowForge`))
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toBe(icon)
    const home = page.locator('#red-ui-header .red-ui-header-logo a')
    expect(await home.innerText()).toBe(name)
    expect(await home.getAttribute('href')).toBe(`${platform().url}/instance/${instance.id}/overview`)
    await page.locator('#red-ui-header').getByText('Example Bakery / Oven line').waitFor()
    await page.locator('#red-ui-header-button-sidemenu').click()
    const back = page.getByText('Open in FlowForge')
    await back.waitFor()
    expect(await page.locator('#menu-item-forge').getAttribute('href')).toBe(await home.getAttribute('href'))
    expect(await page.locator('.red-ui-tourGuide-shade').count()).toBe(0)
  })
})

test.each(['light-41', 'light-50'])('%s fetches what draws diagrams once a description has one', async (name) => {
  const visitor = await visitors.open(platform(), owner)
  const fetched: string[] = []
  visitor.context.on('request', (one) => void (one.url().includes('mermaid') && fetched.push(one.url())))
  const page = await visitEditor(visitor, instances.get(name)!.url)
  const comment = { id: 'plan', type: 'comment', name: 'plan', x: 120, y: 300, wires: [] }
  const nodes = [
    { ...comment, info: 'From flour to bread' },
    { ...comment, id: 'drawn', y: 340, info: '```mermaid\ngraph LR; flour-->bread\n```' },
  ]
  const added = { touchImport: true, generateIds: false, addFlow: false }
  await page.evaluate(`RED.view.importNodes(${JSON.stringify(nodes)}, ${JSON.stringify(added)})`)
  await page.evaluate('RED.view.select("plan"); RED.actions.invoke("core:show-info-tab")')
  await page.getByText('From flour to bread').waitFor()
  expect(fetched).toEqual([])
  await page.evaluate('RED.view.select("drawn")')
  await page.locator('.mermaid svg').getByText('bread').waitFor()
  expect(fetched).toHaveLength(1)
})

test('production is told from development by a label and a strip of another colour', async () => {
  const params = { applicationId: instances.get('light-50')!.application.id }
  const { id: pipelineId } = await owner.client.call('pipeline.create', { params, body: { name: 'Ovens' } })
  let source: string | undefined
  for (const name of ['light-41', 'dark-50']) {
    const body = { name: `Stage of ${name}`, instanceId: instances.get(name)!.id, ...(source ? { source } : {}) }
    source = (await owner.client.call('pipeline.addStage', { params: { pipelineId }, body })).id
  }
  const strips: unknown[] = []
  for (const [name, kind] of [
    ['light-41', 'development'],
    ['dark-50', 'production'],
  ] as const) {
    const page = await visitEditor(await visitors.open(platform(), owner), instances.get(name)!.url)
    await page.locator(`html[data-environment=${kind}]`).waitFor()
    await page.locator('#red-ui-header').getByText(`Stage of ${name}`).waitFor()
    await page.screenshot({ path: `${screenshots}/editor-${kind}.png` })
    expect(await paleIn(page, ['#red-ui-header'])).toEqual([])
    strips.push(await page.evaluate('getComputedStyle(document.getElementById("red-ui-header")).boxShadow'))
  }
  expect(new Set(strips).size).toBe(2)
})
