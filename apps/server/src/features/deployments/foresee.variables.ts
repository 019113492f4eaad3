import type { Foreseen } from '@app/contract'
import { subflowType } from '@app/contract/flows-places'
import { effectiveSettings, platformVariables } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import { placesWithVariables } from './foresee.scopes.ts'
import { calls, countOf, shownNode } from './foresee.words.ts'

/** Variables of Node-RED, of the platform, or of every process. */
const given = /^(?:NR_|FF_)|^(?:PATH|HOME|USER|HOSTNAME|TZ|LANG|PWD|SHELL|NODE_ENV)$/
/** Node-RED replaces these where they are the whole of a text. */
const whole = /^\$\{([^}\s]+)\}$/
const inCode = /\benv\.get\(\s*(['"`])([^'"`$]+)\1\s*\)/g

type Tree = Record<string, unknown>

/** Names of variables that a node, or a part of one, reads. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    const [, name] = whole.exec(value) ?? []
    if (name !== undefined) yield name
  } else if (Array.isArray(value)) for (const one of value) yield* namesIn(one)
  else if (typeof value === 'object' && value !== null) yield* namesInTree(value as Tree)
}

function* namesInTree(tree: Tree): Generator<string> {
  for (const [key, value] of Object.entries(tree)) {
    yield* namesIn(value)
    if (value !== 'env') continue
    // The type of a value stands beside it: `vt` of `v`, `propertyType` of `property`, `type` of `value`.
    const [, base = ''] = /^(.*?)(?:t|Type)$/.exec(key) ?? []
    const text = tree[key === 'type' ? 'value' : base]
    if (typeof text === 'string' && /^[A-Za-z_]\w*$/.test(text)) yield text
  }
}

function namesOf(node: FlowNode): Set<string> {
  const { id: _id, z: _z, wires: _wires, func, initialize, finalize, ...rest } = node
  const code = node.type === 'function' ? [func, initialize, finalize] : []
  const read = code.flatMap((one) =>
    typeof one === 'string' ? [...one.matchAll(inCode)].map(([, , name]) => name!) : [],
  )
  return new Set([...namesIn(rest), ...read])
}

/** The nodes that read each variable where it has no value. */
export function lacking(row: WholeInstance, nodes: readonly FlowNode[]): Map<string, FlowNode[]> {
  const variables = [...(effectiveSettings(row).env ?? []), ...platformVariables(row)]
  const filled = new Set(variables.filter(({ value }) => value !== '').map(({ name }) => name))
  const read = new Map(nodes.map((node) => [`${node.type === 'subflow' ? subflowType : ''}${node.id}`, namesOf(node)]))
  const lacks = new Map<FlowNode, Set<string>>()
  // A subflow reads what its own variables name where its instances are.
  for (const { node, isFilled } of placesWithVariables(nodes, (name) => filled.has(name) || given.test(name)))
    for (const name of [...(read.get(node.id) ?? []), ...(read.get(node.type) ?? [])])
      if (!isFilled(name)) lacks.set(node, (lacks.get(node) ?? new Set()).add(name))
  const found = new Map<string, FlowNode[]>()
  for (const node of nodes)
    for (const name of lacks.get(node) ?? []) found.set(name, [...(found.get(name) ?? []), node])
  return found
}

/** Variables that flows name and that have no value in the instance, as far as that was not so before. */
export function missingVariables(
  after: WholeInstance,
  nodes: readonly FlowNode[],
  before: { row: WholeInstance; nodes: readonly FlowNode[] },
): Foreseen[] {
  const known = lacking(before.row, before.nodes)
  return [...lacking(after, nodes)]
    .filter(([name]) => !known.has(name))
    .map(([name, users]) => ({
      kind: 'variable',
      sentence:
        users.length === 1
          ? `The variable ${name} has no value. ${calls(users[0]!)} uses it.`
          : `The variable ${name} has no value. ${countOf(users.length, 'node uses', 'nodes use')} it.`,
      node: shownNode(users[0]!, nodes),
    }))
}
