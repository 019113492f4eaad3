import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../platform/objects.ts'
import { keyOf, matches } from './filter.match.ts'
import { type AttributePath, type Filter, parsePath } from './filter.parser.ts'
import { badRequest } from './scim.errors.ts'

export type Resource = Record<string, unknown>
export interface Operation {
  op: 'add' | 'replace' | 'remove'
  path?: string | undefined
  value?: unknown
}

/** Attributes that hold lists (RFC 7643, section 4); all others hold one value. */
const lists = new Map(
  ['emails', 'phoneNumbers', 'addresses', 'members', 'roles', 'entitlements', 'ims', 'photos', 'x509Certificates'].map(
    (name) => [name.toLowerCase(), name],
  ),
)
const booleans: readonly string[] = ['active', 'primary']
/** Attributes that the platform alone sets; directories send some of them back with their changes. */
const readOnly: readonly string[] = ['id', 'meta', 'schemas', 'groups']

/** Entra sends booleans as texts, and the only value of an attribute as a list of one. */
function normalized(name: string, value: unknown): unknown {
  if (booleans.includes(name.toLowerCase()) && typeof value === 'string' && /^(true|false)$/i.test(value))
    return value.toLowerCase() === 'true'
  if (Array.isArray(value) && value.length === 1 && !lists.has(name.toLowerCase())) {
    const [only] = value as unknown[]
    return normalized(name, isObject(only) && 'value' in only ? only.value : only)
  }
  if (Array.isArray(value)) return value.map((one: unknown) => (isObject(one) ? normalizedObject(one) : one))
  return isObject(value) ? normalizedObject(value) : value
}

const normalizedObject = (value: Resource): Resource =>
  Object.fromEntries(Object.entries(value).map(([key, one]) => [key, normalized(key, one)]))

const idOf = (one: unknown): unknown => (isObject(one) ? (one.value ?? one) : one)

/** Adds to a list what it does not hold yet. Only the newest element that is primary stays so. */
function joined(list: readonly unknown[], added: readonly unknown[]): unknown[] {
  const fresh = added.filter((one) => !list.some((other) => isDeepStrictEqual(idOf(one), idOf(other))))
  const primary = fresh.findLast((one) => isObject(one) && one.primary === true)
  const both = [...list, ...fresh]
  return primary ? both.map((one) => (isObject(one) && one !== primary ? { ...one, primary: false } : one)) : both
}

/** The element that a filter such as `type eq "work"` describes; undefined for other filters. */
function described(filter: Filter): Resource | undefined {
  if (filter.kind === 'compare' && filter.by === 'eq') return { [filter.path]: filter.value }
  if (filter.kind !== 'and') return undefined
  const [left, right] = [described(filter.left), described(filter.right)]
  return left && right && { ...left, ...right }
}

function changeElements(list: unknown[], { filter, sub }: AttributePath, { op }: Operation, value: unknown): unknown[] {
  const chosen = list.filter((one) => matches(one, filter!))
  if (op === 'remove') {
    if (sub === undefined) return list.filter((one) => !chosen.includes(one))
    return list.map((one) => {
      if (!chosen.includes(one) || !isObject(one)) return one
      const key = keyOf(one, sub)
      return Object.fromEntries(Object.entries(one).filter(([name]) => name !== key))
    })
  }
  const change = (one: Resource): unknown =>
    sub !== undefined ? { ...one, [keyOf(one, sub) ?? sub]: value } : isObject(value) ? { ...one, ...value } : value
  if (chosen.length > 0) return list.map((one) => (chosen.includes(one) && isObject(one) ? change(one) : one))
  // Entra names an element by its type before there is one.
  const fresh = described(filter!)
  if (!fresh) throw badRequest('noTarget', 'No element of the list fulfils the filter of the path')
  return [...list, change(fresh)]
}

function changeWhole(before: unknown, name: string, { op }: Operation, value: unknown): unknown {
  const isList = lists.has(name.toLowerCase())
  const list = Array.isArray(before) ? (before as unknown[]) : []
  if (op === 'remove') {
    if (!isList || value === undefined || value === null) return undefined
    const removed = [value].flat().map(idOf)
    return list.filter((one) => !removed.some((id) => isDeepStrictEqual(id, idOf(one))))
  }
  if (isList) return op === 'add' ? joined(list, [value].flat()) : [value].flat()
  return isObject(before) && isObject(value) ? { ...before, ...value } : value
}

function changeAt(target: Resource, path: AttributePath, operation: Operation): void {
  const container = path.extension === undefined ? target : openObject(target, path.extension)
  const name = keyOf(container, path.attribute) ?? lists.get(path.attribute.toLowerCase()) ?? path.attribute
  const before = Object.hasOwn(container, name) ? container[name] : undefined
  const value = normalized(path.sub ?? path.attribute, operation.value)
  let after: unknown
  if (path.filter) after = changeElements(Array.isArray(before) ? (before as unknown[]) : [], path, operation, value)
  else if (path.sub === undefined) after = changeWhole(before, name, operation, value)
  else {
    const inner = isObject(before) ? { ...before } : {}
    const key = keyOf(inner, path.sub) ?? path.sub
    if (operation.op === 'remove') delete inner[key]
    else inner[key] = value
    after = inner
  }
  if (after === undefined || after === null) delete container[name]
  else container[name] = after
}

function openObject(target: Resource, name: string): Resource {
  const key = keyOf(target, name) ?? name
  const found = Object.hasOwn(target, key) ? target[key] : undefined
  const object = isObject(found) ? found : {}
  target[key] = object
  return object
}

/**
 * Applies the operations of a PATCH to a copy of a resource, all or none (RFC 7644, section 3.5.2), in the dialects of
 * Entra ID (capital letters, texts for booleans, `{"name.givenName": …}` without a path) and Okta.
 * @throws ScimError invalidPath, invalidFilter, noTarget, mutability.
 */
export function applyPatch(resource: Resource, operations: readonly Operation[]): Resource {
  const result = structuredClone(resource)
  for (const operation of operations) {
    if (operation.path !== undefined) {
      const path = parsePath(operation.path)
      if (path.extension === undefined && readOnly.includes(path.attribute.toLowerCase()))
        throw badRequest('mutability', `${path.attribute} cannot be changed`)
      changeAt(result, path, operation)
      continue
    }
    if (operation.op === 'remove') throw badRequest('noTarget', 'To remove something, name its path')
    if (!isObject(operation.value)) throw badRequest('invalidValue', 'Without a path the value must be an object')
    for (const [key, value] of Object.entries(operation.value)) {
      if (readOnly.includes(key.toLowerCase())) continue
      const extension = key.startsWith('urn:') && isObject(value)
      if (!extension) changeAt(result, parsePath(key), { ...operation, value })
      else Object.assign(openObject(result, key), value)
    }
  }
  return result
}
