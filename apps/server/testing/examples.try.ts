import type { Deployment } from '@app/contract'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Node, RealPlatform } from './real.platform.ts'

export interface Example {
  name: string
  flows: Node[]
}
/** The result of an example; `said`: its errors, or the reason it does not run. */
export interface Outcome {
  name: string
  ended: 'runs' | 'runs with errors' | 'does not run'
  said: string
}

/** The example flows in a folder and those below it, as Node-RED lists them under Import. */
export async function examplesIn(folder: string): Promise<Example[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  const found = files.filter((file) => file.endsWith('.json')).toSorted()
  return Promise.all(
    found.map(async (name) => ({
      name: name.replace(/\.json$/, ''),
      flows: placed(JSON.parse(await readFile(join(folder, name), 'utf8')) as Node[], name),
    })),
  )
}

/** The editor puts what has no tab of its own on the one that is open. */
function placed(flows: Node[], name: string): Node[] {
  const homes = new Set(flows.filter(({ type }) => type === 'tab' || type === 'subflow').map(({ id }) => id))
  const homeless = (node: Node) => !homes.has(node.z) && ('x' in node || node.type === 'group')
  if (!flows.some(homeless)) return flows
  const tab = { id: `tab ${name}`, type: 'tab', label: name }
  return [tab, ...flows.map((node) => (homeless(node) ? { ...node, z: tab.id } : node))]
}

const batchMax = 12

/** Examples that share no id, some together. */
function batchesOf(examples: readonly Example[]): Example[][] {
  const batches: { ids: Set<unknown>; all: Example[] }[] = []
  for (const example of examples) {
    const ids = example.flows.map(({ id }) => id)
    let batch = batches.find((one) => one.all.length < batchMax && !ids.some((id) => one.ids.has(id)))
    if (!batch) batches.push((batch = { ids: new Set(), all: [] }))
    for (const id of ids) batch.ids.add(id)
    batch.all.push(example)
  }
  return batches.map(({ all }) => all)
}

function outcomeOf({ name, flows }: Example, { state, reason = '', warning, faults = [] }: Deployment): Outcome {
  const why = warning ?? reason.replace(/ The previous version is back\.$/, '')
  if (state !== 'done' || warning !== undefined) return { name, ended: 'does not run', said: why }
  const ids = new Set(flows.map(({ id }) => id))
  const own = faults.filter(({ node }) => !node || ids.has(node.id) || ids.has(node.tab?.id))
  const [first] = own
  if (!first) return { name, ended: 'runs', said: '' }
  return {
    name,
    ended: 'runs with errors',
    said: `${first.node?.type ?? 'Node-RED'}: ${first.message.split('\n', 1)[0]}`,
  }
}

export interface Tried {
  /** Did the preview of the first import offer the module? */
  offered: boolean
  outcomes: Outcome[]
}

/**
 * Has examples imported into a new instance, with the module that they need if they need one. Several come together, and
 * each that has an error then comes alone, since two may want the same port.
 */
export async function tryExamples(
  platform: RealPlatform,
  nodered: string,
  examples: readonly Example[],
  module?: { name: string; version: string },
): Promise<Tried> {
  const one = await platform.make(nodered)
  const outcomes: Outcome[] = []
  let offered = false
  const install = module ? [module] : []
  for (const batch of batchesOf(examples)) {
    const flows = batch.flatMap((example) => example.flows)
    if (outcomes.length === 0) {
      const body = { files: { flows: JSON.stringify(flows) } }
      const params = { instanceId: one.id }
      const { foreseen } = await platform.owner.client.call('deployment.preview', { params, body })
      offered = foreseen.some((found) => found.module?.name === module?.name)
    }
    const together = await platform.importTo(one, flows, { install })
    for (const example of batch) {
      const first = outcomeOf(example, together)
      const isAlone = first.ended === 'runs' || batch.length === 1
      outcomes.push(isAlone ? first : outcomeOf(example, await platform.importTo(one, example.flows, { install })))
    }
  }
  await platform.act('suspend', one.id)
  return { offered, outcomes }
}
