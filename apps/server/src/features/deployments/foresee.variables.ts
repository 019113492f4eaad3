import type { Foreseen } from '@app/contract'
import { effectiveSettings, platformVariables } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
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

/** Variables that flows define themselves: on tabs, groups, subflows and for all of them. */
const ownOf = (nodes: readonly FlowNode[]) =>
  nodes.flatMap(({ env }) =>
    Array.isArray(env) ? (env as ({ name?: unknown } | null)[]).map((one) => String(one?.name)) : [],
  )

/** The nodes that read each variable without a value. */
export function lacking(row: WholeInstance, nodes: readonly FlowNode[]): Map<string, FlowNode[]> {
  const variables = [...(effectiveSettings(row).env ?? []), ...platformVariables(row)]
  const filled = new Set([...variables.filter(({ value }) => value !== '').map(({ name }) => name), ...ownOf(nodes)])
  const found = new Map<string, FlowNode[]>()
  for (const node of nodes) {
    if (node.d === true) continue
    for (const name of namesOf(node))
      if (!filled.has(name) && !given.test(name)) found.set(name, [...(found.get(name) ?? []), node])
  }
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
