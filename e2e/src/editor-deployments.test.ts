import type { Instance } from '@app/contract'
import { describe, expect, test } from 'vitest'
import {
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
  screenshots,
  storedFlows,
  until,
  untilState,
  visitEditor,
} from './harness/index.ts'

const { platform, visitors, owner, application } = await openTeam()
const instances = new Map<string, Instance>()
for (const stack of ['4.1', '5.0'])
  for (const kind of ['staging', 'production']) {
    const name = `${kind}-${stack.replace('.', '')}`
    const { id } = await createInstance(owner.client, { name, applicationId: application.id, stack })
    instances.set(`${kind} ${stack}`, await untilState(owner.client, id, 'running'))
  }

const lastStart = async (instanceId: string) =>
  (await owner.client.call('instance.get', { params: { instanceId } })).meta.lastStartTime

/** The flow of these tests, whose answering node has this name. */
const named = (name: string) => helloFlow.map((node) => (node.id === 'n3' ? { ...node, name } : node))

describe.each([
  ['4.1', '5.0'],
  ['5.0', '4.1'],
])('with Node-RED %s', (stack, other) => {
  test('a push under undeployed work keeps it, and merging deploys both', async () => {
    const { id, url } = instances.get(`production ${stack}`)!
    const source = instances.get(`staging ${stack}`)!
    const visitor = await visitors.open(platform(), owner)
    const staging = await visitEditor(visitor, source.url)
    await deployInEditor(staging, named('answer'))
    await staging.close()
    const editor = await visitEditor(visitor, url)
    await deployInEditor(editor, helloFlow)
    await editByHand(editor, 'n2', 'greet', 'wheat')
    await reconnected(owner.client, id)
    const before = await lastStart(id)
    await owner.client.call('instance.update', {
      params: { instanceId: id },
      body: { sourceProject: { id: source.id } },
    })
    await restarted(owner.client, id, before)
    await reconnected(owner.client, id)
    await keeps(editor, 'wheat')
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    const merge = editor.locator('#red-ui-deploy-dialog-confirm-deploy-merge:not(.disabled)')
    await merge.waitFor()
    await editor.screenshot({ path: `${screenshots}/editor-push-conflict-${stack}.png` })
    await merge.click()
    await editor.locator(`${deployButton}:not(.disabled)`).click()
    const merged = await until(
      () => storedFlows(owner.client, id),
      (flows) => flows.includes('"wheat"'),
    )
    expect(merged).toContain('"answer"')
    await keeps(editor, 'wheat')
  })

  test(`undeployed work outlives a change of the stack to Node-RED ${other}, and deploys afterwards`, async () => {
    const { id, url } = instances.get(`production ${stack}`)!
    const { stacks } = await owner.client.call('stack.list', { query: {} })
    const editor = await visitEditor(await visitors.open(platform(), owner), url)
    await editByHand(editor, 'n2', 'wheat', 'spelt')
    await reconnected(owner.client, id)
    const before = await lastStart(id)
    const next = stacks.find(({ label }) => label.includes(other))!
    await owner.client.call('instance.update', { params: { instanceId: id }, body: { stack: next.id } })
    await restarted(owner.client, id, before)
    await reconnected(owner.client, id)
    await keeps(editor, 'spelt')
    await editor.screenshot({ path: `${screenshots}/editor-stack-changed-${stack}.png` })
    await deploys(editor)
    await keeps(editor, 'spelt')
    expect(await storedFlows(owner.client, id)).toContain('"spelt"')
    await editor.screenshot({ path: `${screenshots}/editor-stack-deployed-${stack}.png` })
  })
})
