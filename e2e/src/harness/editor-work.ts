import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { until } from './outside.ts'
import type { Person } from './people.ts'

type Client = Person['client']

/** Renames a node of the flow in its dialog, as a person does, and marks the page to see that it stays. */
export async function editByHand(page: Page, id: string, before: string, name: string): Promise<void> {
  await page.evaluate('globalThis.isSamePage = true; RED.workspaces.show("f1")')
  const input = page.locator('#node-input-name')
  // On a busy machine the editor may take the second click for another first one.
  const opened = async () => {
    if ((await input.count()) === 0) await page.locator(`#${id} .red-ui-flow-node`).first().dblclick()
    return input.isVisible()
  }
  await expect.poll(opened, { interval: 1_000 }).toBe(true)
  // The dialog fills its fields once more after it has opened.
  const typed = async () => {
    const now = await input.inputValue()
    if (now === before) await input.fill(name)
    return now
  }
  await expect.poll(typed, { interval: 500 }).toBe(name)
  // Until the types of Node-RED are loaded, the editor of code takes its names for faults, and the node is not valid.
  const faults = () =>
    page.evaluate<number>('monaco.editor.getModelMarkers({}).filter((one) => one.severity === 8).length')
  await expect.poll(faults).toBe(0)
  await page.locator('#node-dialog-ok').click()
  await page.locator('.red-ui-tray').waitFor({ state: 'detached' })
  expect(await page.evaluate(`RED.nodes.node("${id}").name`)).toBe(name)
}

/** The page was not left, and holds the change. */
export async function keeps(page: Page, name: string): Promise<void> {
  expect(await page.evaluate('globalThis.isSamePage')).toBe(true)
  expect(await page.evaluate('RED.nodes.node("n2").name')).toBe(name)
}

/** Waits for a running process that started after the one the instance had. */
export async function restarted(client: Client, id: string, before: string | undefined): Promise<void> {
  await until(
    () => client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.state === 'running' && meta.lastStartTime !== before,
    60_000,
  )
}

/** Waits until an open editor is connected to the process that runs now. */
export const reconnected = (client: Client, id: string) =>
  until(
    () => client.call('instance.get', { params: { instanceId: id } }),
    ({ meta }) => meta.editors !== undefined,
    45_000,
  )

/** The flows that an instance has; a deploy that was refused is in the list of versions too. */
export async function storedFlows(client: Client, id: string): Promise<string> {
  const { versions } = await client.call('version.list', { params: { instanceId: id } })
  const params = { instanceId: id, versionId: versions.find(({ current }) => current)!.id }
  return JSON.stringify(await client.call('version.flows', { params }))
}
