import type { FlowNode } from '../flows/index.ts'
import type { PropertyChange, VariableChange } from '@app/contract'
import { isDeepStrictEqual } from 'node:util'

type Variable = { name: string; type: string; value?: unknown; ui?: unknown }
type Side = NonNullable<VariableChange['old']>

const holders = new Set(['tab', 'group', 'subflow', 'global-config'])

/** Does the property `env` of this node hold variables, as in flows, groups, subflows and their instances? */
export const hasVariables = ({ type }: FlowNode): boolean => holders.has(type) || type.startsWith('subflow:')

/**
 * The variables that differ between two versions of a node. `secrets` names its credentials that do; a secret is told
 * without its value, also where flows from elsewhere have that in clear.
 */
export function variablesDifference(before: unknown, after: unknown, secrets: ReadonlySet<string>): PropertyChange {
  const [old, next] = [variablesIn(before), variablesIn(after)]
  const variables = [...new Set([...next.keys(), ...old.keys()])].flatMap((name) => {
    const change = variableChange(name, old.get(name), next.get(name), secrets)
    return change ? [change] : []
  })
  if (variables.length > 0) return { key: 'env', variables }
  // Another order, which the editor shows.
  return { key: 'env', old: [...old.keys()].join('\n'), new: [...next.keys()].join('\n') }
}

function variableChange(
  name: string,
  old: Variable | undefined,
  next: Variable | undefined,
  secrets: ReadonlySet<string>,
): VariableChange | undefined {
  if (!old) return next && { name, change: 'added', new: sideOf(next) }
  if (!next) return { name, change: 'removed', old: sideOf(old) }
  if (isDeepStrictEqual(old, next) && !(isSecret(next) && secrets.has(name))) return undefined
  return { name, change: 'changed', old: sideOf(old), new: sideOf(next) }
}

const isSecret = ({ type }: Variable) => type === 'cred'

function sideOf({ type, value, ui }: Variable): Side {
  const shown = isSecret({ name: '', type }) || value === undefined ? {} : { value: textOf(value) }
  return { type, ...shown, ...(ui === undefined ? {} : { ui: JSON.stringify(ui) }) }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function variablesIn(list: unknown): Map<string, Variable> {
  const entries = (Array.isArray(list) ? list : []).flatMap((one: unknown): [string, Variable][] => {
    const { name, type = 'str', value, ui } = (one ?? {}) as Partial<Variable>
    if (typeof name !== 'string' || typeof type !== 'string') return []
    return [[name, { name, type, ...(value === undefined ? {} : { value }), ...(ui === undefined ? {} : { ui }) }]]
  })
  return new Map(entries)
}
