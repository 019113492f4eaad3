import type { WebSocketRoute } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { paleIn } from './harness/contrast.ts'
import {
  createInstance,
  deployButton,
  helloFlow,
  openTeam,
  restarted,
  screenshots,
  untilState,
  visitEditor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()
const applicationId = application.id

const looks = [
  { stack: '4.1', theme: 'forge-light' },
  { stack: '4.1', theme: 'forge-dark' },
  { stack: '5.0', theme: 'forge-light' },
  { stack: '5.0', theme: 'forge-dark' },
] as const

describe.each(looks)('the editor of Node-RED $stack in $theme', ({ stack, theme }) => {
  test('says what a deploy that takes long is doing, until the flows run', async () => {
    const name = `${theme}-${stack.replace('.', '')}`
    const { id, url } = await createInstance(owner.client, { name, applicationId, stack })
    const params = { instanceId: id }
    const { meta } = await untilState(owner.client, id, 'running')
    await owner.client.call('instance.update', { params, body: { settings: { theme } } })
    await owner.client.call('instance.restart', { params })
    await restarted(owner.client, id, meta.lastStartTime)
    const visitor = await visitors.open(platform(), owner)
    const saved = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    await visitor.context.routeWebSocket(/\/comms$/, (page) => holdStarted(page, started.promise))
    const editor = await visitEditor(visitor, url)
    await editor.route(/\/flows$/, async (route) => {
      if (route.request().method() === 'POST') await saved.promise
      await route.continue()
    })
    const status = editor.getByRole('status').filter({ hasText: 'Deploying' })
    const nodes = `${helloFlow.length - 1} nodes`
    await editor.evaluate(
      `RED.view.importNodes(${JSON.stringify(helloFlow)}, { touchImport: true, generateIds: false, addFlow: false })`,
    )
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    await expect.poll(() => status.innerText()).toMatch(new RegExp(`^Deploying ${nodes} · (sending|saving)…$`))
    expect(await paleIn(editor, ['.forge-deploy'])).toEqual([])
    await editor.screenshot({ path: `${screenshots}/editor-deploy-${name}.png`, animations: 'disabled' })
    await editor.setViewportSize({ width: 600, height: 700 })
    await editor.screenshot({ path: `${screenshots}/editor-deploy-${name}-narrow.png`, animations: 'disabled' })
    saved.resolve()
    await expect.poll(() => status.innerText()).toBe(`Deploying ${nodes} · starting…`)
    started.resolve()
    await status.waitFor({ state: 'detached' })
  })
})

/** Passes all on but the word that the deployed flows run, which waits. */
function holdStarted(page: WebSocketRoute, released: Promise<void>): void {
  const instance = page.connectToServer()
  instance.onMessage((message) => {
    if (!String(message).includes('notification/runtime-deploy')) return page.send(message)
    void released.then(() => page.send(message))
  })
}
