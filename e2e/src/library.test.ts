import type { Application, LibraryType, Team } from '@app/contract'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import {
  adjustSettings,
  ask,
  createTeam,
  deployInEditor,
  helloFlow,
  openTeam,
  screens,
  sees,
  shot,
  startInstance,
  until,
  visitEditor,
  type Visitor,
} from './harness/index.ts'

const { platform, visitors, owner } = await openTeam()
let visitor: Visitor
let team: Team
let application: Pick<Application, 'id'>

/** Each test has a library of its own. */
let count = 0
beforeEach(async () => {
  ;({ team, application } = await createTeam(owner.client, `Bakery ${(count += 1)}`))
  visitor = await visitors.open(platform(), owner)
})

const save = (path: string, type: LibraryType, body: unknown) =>
  owner.client.call('library.save', { params: { teamId: team.id, '*': path }, body: { type, body } })
const link = (name: string) => visitor.page.getByRole('link', { name: new RegExp(`(^| )${name}$`) })

test('An empty library says how something comes into it', async () => {
  const { page } = visitor
  await page.goto(`/team/${team.slug}/applications`)
  await page.getByRole('link', { name: 'Library' }).click()
  await sees(page.getByText('Nothing is shared yet'))
  await shot(page, 'library-none')
})

test('[LIB-01] [LIB-02] [LIB-04] [LIB-05] [ERR-01] Folders lead to entries, whose contents can be copied, and back', async () => {
  const { page } = visitor
  await save('Clean up', 'functions', 'return msg')
  await save('Start', 'flows', [{ id: 'a', type: 'inject', name: 'every morning' }])
  await save('Ovens/Door/Shut by 50% 😀', 'flows', [{ id: 'b', type: 'inject', name: 'door' }])
  await page.goto(`/team/${team.slug}/library`)
  for (const kind of ['Folder', 'Flows', 'Function']) await sees(page.getByRole('img', { name: kind }))
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 2)).toEqual(['Name', 'Date Modified'])
  await shot(page, 'library')
  await link('Ovens').click()
  await link('Door').click()
  await link('Shut by 50% 😀').click()
  await sees(page.getByLabel('Contents').getByText('"door"'))
  await shot(page, 'library-entry')
  await page.getByRole('button', { name: 'Copy to Clipboard' }).click()
  await sees(screens.toast(page, 'Copied to Clipboard.'))
  expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toMatchObject([{ name: 'door' }])
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  expect(await trail.getByRole('link').allInnerTexts()).toEqual(['Library', 'Ovens', 'Door'])
  await trail.getByRole('link', { name: 'Library' }).click()
  await sees(link('Start'))
})

test('[LIB-04] A function opens as it was typed, by click and by a link without its type', async () => {
  const { page } = visitor
  const texts = { greet: 'return msg;\n', 'is JSON': '{ "a" :1.0 }', brackets: '[]' }
  for (const [name, text] of Object.entries(texts)) await save(`Typed/${name}`, 'functions', text)
  await page.goto(`/team/${team.slug}/library/Typed`)
  for (const [name, text] of Object.entries(texts)) {
    await link(name).click()
    await sees(page.getByRole('heading', { level: 1, name }))
    const contents = page.getByLabel('Contents')
    expect(await contents.textContent()).toBe(text)
    await page.goto(`/team/${team.slug}/library/Typed/${encodeURIComponent(name)}`)
    await page.waitForURL(/type=functions/)
    await sees(contents)
    expect(await contents.textContent()).toBe(text)
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Typed' }).click()
  }
  await save('Typed/line', 'flows', [{ id: 'a', type: 'inject', name: 'every morning' }])
  await page.goto(`/team/${team.slug}/library/Typed/line`)
  await sees(page.getByLabel('Contents').getByText('"every morning"'))
})

test('[LIB-03] [LIB-09] [LIB-10] Deleting asks, names the type, and says how it went', async () => {
  const { page, expectProblem } = visitor
  await save('Clean up', 'functions', 'return msg')
  await save('Start', 'flows', [{ id: 'a', type: 'inject', name: 'every morning' }])
  await page.goto(`/team/${team.slug}/library`)
  const menu = async (name: string) => {
    await screens.menu.choose(page, `Actions for ${name}`, 'Delete')
    await sees(page.getByRole('heading', { name: `Delete ${name}?` }))
  }
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'DELETE' && calls.push(new URL(request.url()).search))
  await menu('Start')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Successfully deleted!'))
  await link('Start').waitFor({ state: 'detached' })
  expect(calls).toEqual(['?type=flows'])

  expectProblem(/404/)
  await owner.client.call('library.delete', { params: { teamId: team.id, '*': 'Clean up' } })
  await menu('Clean up')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Failed to delete device: Not found'))
})

/** Opens what a node is, beside the canvas, and there the library of functions. */
async function openFunctions(editor: Page, node: string, item: 'open' | 'save'): Promise<void> {
  await editor.evaluate(`RED.editor.edit(RED.nodes.node('${node}'))`)
  await editor.locator('#node-input-function-lookup').click()
  await editor.locator(`#node-input-function-menu-${item}-library`).click()
}

/** The functions of the team, in a dialog of the editor that was just opened. */
async function shelfIn(dialog: Locator): Promise<Locator> {
  const labels = dialog.locator('.red-ui-treeList-label')
  const shelf = labels.filter({ hasText: 'Team Library' }).locator('xpath=..').locator('.red-ui-treeList-label')
  // A moment after it opens the dialog chooses the functions of this machine, whatever was chosen before.
  await dialog.locator('.red-ui-treeList-label.selected', { hasText: 'function' }).waitFor()
  return shelf.filter({ hasText: 'function' }).first()
}

test('[LIB-11] A function and flows that one editor exports are listed, drawn, and imported by another', async () => {
  const { page } = visitor
  const [from, to] = await Promise.all(
    ['dev-line', 'pack-line'].map((name) => startInstance(owner.client, name, application.id)),
  )
  // The key that closes the tour for newcomers would close a dialog as well.
  const tour = { contentType: 'text/javascript', body: "export default { version: '0.0.0', steps: [] }" }
  await visitor.context.route('**/tours/welcome.js', (route) => route.fulfill(tour))
  const one = await visitEditor(visitor, from!.url)
  await deployInEditor(one, helloFlow)
  const answered = (method: 'GET' | 'POST') =>
    one.waitForResponse((to) => to.request().method() === method && to.url().includes('/team-library/'))
  // To a folder of which the editor does not know yet what it holds it saves nothing.
  const listed = answered('GET')
  await openFunctions(one, 'n2', 'save')
  const save = one.locator('#red-ui-library-dialog-save')
  await listed
  await (await shelfIn(save)).click()
  await save.locator('#red-ui-library-dialog-save-filename').fill('greet.js')
  const saved = answered('POST')
  await one.locator('#red-ui-library-dialog-save-button').click()
  expect((await saved).ok()).toBe(true)
  await one.evaluate('RED.tray.close()')
  // The dialog stays away while a node is open.
  await one.locator('.red-ui-tray').waitFor({ state: 'detached' })
  await one.evaluate("RED.workspaces.show('f1'); RED.actions.invoke('core:show-export-dialog')")
  await one.locator('#red-ui-clipboard-dialog-export-rng-flow').click()
  await one.locator('#red-ui-clipboard-dialog-export-tabs a', { hasText: 'Team Library' }).click()
  await one.locator('#red-ui-clipboard-dialog-tab-library-name').fill('Hello ä 😀')
  const exported = answered('POST')
  await one.locator('#red-ui-clipboard-dialog-export').click()
  expect((await exported).ok()).toBe(true)
  await one.screenshot({ path: 'screenshots/editor-library.png' })

  await page.goto(`/team/${team.slug}/library`)
  await sees(link('greet.js'))
  await link('Hello ä 😀').click()
  await sees(page.getByRole('img', { name: 'Hello: 3 nodes' }), page.getByLabel('Contents').getByText('"greet"'))
  await shot(page, 'library-flows')
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Library' }).click()
  await link('greet.js').click()
  await sees(page.getByLabel('Contents').getByText("'Hello ' + who"))
  await shot(page, 'library-function')

  const other = await visitEditor(visitor, to!.url)
  await other.evaluate("RED.actions.invoke('core:show-import-dialog')")
  await other.locator('#red-ui-clipboard-dialog-import-tabs a', { hasText: 'Team Library' }).click()
  await other.locator('.red-ui-treeList-label', { hasText: 'Hello ä 😀' }).click()
  await other.locator('#red-ui-clipboard-dialog-ok').click()
  await other.locator('#red-ui-header-button-deploy:not(.disabled)').click()
  await other.getByText('Successfully deployed').last().waitFor()
  const answer = await until(
    () => ask(platform(), 'pack-line', '/hello'),
    ({ status }) => status === 200,
  )
  expect(answer.body).toBe('Hello world')
  const emptied =
    "(() => { const [node] = RED.nodes.filterNodes({ type: 'function' }); node.func = ''; return node.id })()"
  const id = await other.evaluate<string>(emptied)
  await openFunctions(other, id, 'open')
  const load = other.locator('#red-ui-library-dialog-load')
  await (await shelfIn(load)).locator('.fa-angle-right').click()
  // The dialog shows the contents that will be loaded. While the tree still takes in the shelf, a click may be lost.
  const preview = load.locator('#red-ui-library-dialog-load-preview-text', { hasText: "'Hello '" })
  const previewed = async () => {
    if ((await preview.count()) === 0) await load.locator('.red-ui-treeList-label', { hasText: 'greet.js' }).click()
    return preview.count()
  }
  await expect.poll(previewed, { interval: 1_000 }).toBe(1)
  await other.locator('.ui-dialog:visible button', { hasText: 'Load' }).click()
  await other.locator('#node-dialog-ok').click()
  expect(await other.evaluate<string>("RED.nodes.filterNodes({ type: 'function' })[0].func")).toContain(
    "'Hello ' + who",
  )
})

test('[LIB-07] Without the feature the page says so, and asks nothing', async () => {
  const { page } = visitor
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/storage/library/') && asked.push(request.url()))
  await adjustSettings(page, { features: { 'shared-library': false } })
  await page.goto(`/team/${team.slug}/library`)
  await sees(page.getByText('The shared library is not available'))
  expect(asked).toEqual([])
})
