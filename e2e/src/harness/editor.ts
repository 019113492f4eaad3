import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from './outside.ts'
import type { Visitor } from './browser.ts'

export const deployButton = '#red-ui-header-button-deploy'

/** Waits for the page that this click opens, and for the Node-RED editor in it. */
export async function openEditor(visitor: Visitor, click: () => Promise<void>): Promise<Page> {
  const [page] = await Promise.all([visitor.context.waitForEvent('page'), click()])
  await editorReady(page)
  return page
}

/** Goes straight to the address of an instance; who is signed in to the console is signed in there too. */
export async function visitEditor(visitor: Visitor, url: string): Promise<Page> {
  const page = await visitor.context.newPage()
  await page.goto(url)
  await editorReady(page)
  return page
}

/** Beside other browsers an editor takes half a minute to load on a slow machine. */
const patience = 60_000

/** Waits until the editor has loaded its flows. The tour that greets newcomers is closed whenever it is in the way. */
async function editorReady(page: Page): Promise<void> {
  await page.addLocatorHandler(page.locator('.red-ui-tourGuide-shade'), async () => page.keyboard.press('Escape'))
  await page.locator(deployButton).waitFor({ timeout: patience })
  const loaded = () => page.evaluate<boolean>('!!globalThis.RED?.settings?.user && !!RED.nodes?.version?.()')
  await until(loaded, Boolean, patience)
}

export const editorUser = (page: Page) => page.evaluate<{ username: string; permissions: string }>('RED.settings.user')

/** Puts nodes on the canvas and presses Deploy, as a person who pastes them would; waits for the confirmation. */
export async function deployInEditor(page: Page, flow: object[]): Promise<void> {
  await page.evaluate(
    `RED.view.importNodes(${JSON.stringify(flow)}, { touchImport: true, generateIds: false, addFlow: false })`,
  )
  await deploys(page)
}

/** Presses Deploy, and waits for the answer of Node-RED and then for the confirmation, the newest of several. */
export async function deploys(page: Page): Promise<void> {
  const [reply] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === 'POST' && new URL(one.url()).pathname === '/flows'),
    page.locator(`${deployButton}:not(.disabled)`).click(),
  ])
  expect(reply.status()).toBe(200)
  await page.getByText('Successfully deployed').last().waitFor()
}

/** Sends flows the way the editor does, with the tokens of its session. Answers the status. */
export function postFlows(page: Page, flow: object[]): Promise<number> {
  return page.evaluate<number>(`fetch('flows', {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + RED.settings.get('auth-tokens').access_token,
      'content-type': 'application/json',
      'Node-RED-API-Version': 'v1',
    },
    body: ${JSON.stringify(JSON.stringify(flow))},
  }).then((reply) => reply.status)`)
}
