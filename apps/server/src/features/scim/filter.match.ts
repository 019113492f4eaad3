import type { Comparison, Filter, FilterValue } from './filter.parser.ts'

/** The own property of this name in whatever case, as SCIM demands; undefined when there is none. */
export function keyOf(object: object, name: string): string | undefined {
  return Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase())
}

function valuesAt(value: unknown, names: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one: unknown) => valuesAt(one, names))
  const [name, ...rest] = names
  if (name === undefined) return value === undefined || value === null ? [] : [value]
  if (typeof value !== 'object' || value === null) return name === 'value' ? [value] : []
  const key = keyOf(value, name)
  return key === undefined ? [] : valuesAt((value as Record<string, unknown>)[key], rest)
}

/** Texts are compared without case, numbers and times as they are. */
function compares(found: unknown, by: Comparison, wanted: FilterValue): boolean {
  const fold = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value)
  const [a, b] = [fold(found), fold(wanted)]
  if (by === 'eq') return a === b
  if (by === 'ne') return a !== b
  if (typeof a === 'string' && typeof b === 'string') {
    if (by === 'co') return a.includes(b)
    if (by === 'sw') return a.startsWith(b)
    if (by === 'ew') return a.endsWith(b)
  }
  const ordered = (typeof a === 'string' && typeof b === 'string') || (typeof a === 'number' && typeof b === 'number')
  if (!ordered) return false
  const [x, y] = [a as string, b as string]
  return by === 'gt' ? x > y : by === 'ge' ? x >= y : by === 'lt' ? x < y : by === 'le' ? x <= y : false
}

/** Does an element of a list, or a resource, fulfil the filter? */
export function matches(value: unknown, filter: Filter): boolean {
  if (filter.kind === 'and') return matches(value, filter.left) && matches(value, filter.right)
  if (filter.kind === 'or') return matches(value, filter.left) || matches(value, filter.right)
  if (filter.kind === 'not') return !matches(value, filter.of)
  const found = valuesAt(value, filter.path.split('.'))
  if (filter.kind === 'within') return found.some((one) => matches(one, filter.of))
  if (filter.kind === 'present') return found.length > 0
  if (filter.by === 'ne') return found.every((one) => compares(one, 'ne', filter.value))
  return found.some((one) => compares(one, filter.by, filter.value))
}
