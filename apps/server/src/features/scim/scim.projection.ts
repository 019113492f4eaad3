import { groupSchema, userSchema } from './scim.resource.ts'
import type { Resource } from './patch.ts'

/** The attributes that a call asks for or leaves out, as lists separated by commas. */
export interface Projection {
  attributes?: unknown
  excludedAttributes?: unknown
}

const always = ['schemas', 'id']
const core = [userSchema, groupSchema].map((schema) => `${schema.toLowerCase()}:`)

/** The paths of a list, in lower case and without the schemas of users and groups themselves. */
function pathsIn(value: unknown): string[] | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value.split(',').map((one) => {
    const path = one.trim().toLowerCase()
    const schema = core.find((prefix) => path.startsWith(prefix))
    return schema === undefined ? path : path.slice(schema.length)
  })
}

/** Does the answer need the members of groups? Directories leave them out of most questions. */
export function wantsMembers({ attributes, excludedAttributes }: Projection): boolean {
  const isMembers = (path: string) => path === 'members' || path.startsWith('members.')
  const only = pathsIn(attributes)
  return !pathsIn(excludedAttributes)?.includes('members') && (!only || only.some(isMembers))
}

/** The sub-attributes of an attribute that are named; `whole` where it is named itself. */
function named(paths: readonly string[], key: string): { whole: boolean; parts: string[] } {
  const name = key.toLowerCase()
  // An attribute of an extension follows its schema and a colon.
  const parts = paths.flatMap((path) =>
    path.startsWith(`${name}.`) || path.startsWith(`${name}:`) ? [path.slice(name.length + 1)] : [],
  )
  return { whole: paths.includes(name), parts }
}

function partsOf(value: unknown, isShown: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one) => partsOf(one, isShown))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => isShown(name.toLowerCase())))
}

/** Leaves out what was not asked for (RFC 7644, section 3.9); attributes that are always returned stay. */
export function projected(resource: Resource, { attributes, excludedAttributes }: Projection): Resource {
  const [only, without] = [pathsIn(attributes), pathsIn(excludedAttributes) ?? []]
  const shown = Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
    if (always.includes(key.toLowerCase())) return [[key, value]]
    const left = named(without, key)
    if (left.whole) return []
    const rest = left.parts.length === 0 ? value : partsOf(value, (name) => !left.parts.includes(name))
    if (!only) return [[key, rest]]
    const { whole, parts } = named(only, key)
    if (whole) return [[key, rest]]
    return parts.length === 0 ? [] : [[key, partsOf(rest, (name) => parts.includes(name))]]
  })
  return Object.fromEntries(shown)
}
