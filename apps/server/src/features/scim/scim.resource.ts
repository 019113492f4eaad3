import { Email, limits } from '@app/contract'
import * as z from 'zod/mini'
import { isObject } from '../../platform/objects.ts'
import { keyOf } from './filter.match.ts'
import { badRequest } from './scim.errors.ts'
import { applyPatch, type Operation, type Resource } from './patch.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
/** The attributes of people in companies. They are kept and given back; the platform acts on none of them. */
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'
const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'

/** The platform keeps these itself, or never at all, as passwords. */
const notKept: readonly string[] = ['id', 'meta', 'schemas', 'groups', 'password', 'active', 'members']
const longestName = 254

/** A resource as a directory sent it, without what the platform does not keep. */
export function keptOf(resource: Resource): Resource {
  return Object.fromEntries(Object.entries(resource).filter(([key]) => !notKept.includes(key.toLowerCase())))
}

/** @throws ScimError invalidSyntax unless the body is an object without NUL characters. */
export function readResource(body: unknown): Resource {
  if (!isObject(body)) throw badRequest('invalidSyntax', 'Send a JSON object')
  if (JSON.stringify(body).includes('\\u0000')) throw badRequest('invalidValue', 'Text must not contain NUL characters')
  // Through the rules of PATCH, since the dialects of directories are the same in both.
  const written = Object.fromEntries(Object.entries(body).filter(([key]) => !/^(schemas|id|meta|groups)$/i.test(key)))
  return applyPatch({}, [{ op: 'replace', value: written }])
}

const Patch = z.object({
  schemas: z.array(z.string()),
  Operations: z
    .array(
      z.object({
        op: z.string(),
        path: z.optional(z.nullable(z.string().check(z.maxLength(4_000)))),
        value: z.optional(z.unknown()),
      }),
    )
    .check(z.minLength(1), z.maxLength(1_000)),
})

/** The operations of a PATCH. @throws ScimError invalidSyntax */
export function readOperations(body: unknown): Operation[] {
  const patch = Patch.safeParse(body)
  if (!patch.success || !patch.data.schemas.includes(patchSchema))
    throw badRequest('invalidSyntax', `Send Operations in the schema ${patchSchema}`)
  if (JSON.stringify(body).includes('\\u0000')) throw badRequest('invalidValue', 'Text must not contain NUL characters')
  return patch.data.Operations.map(({ op, path, value }) => {
    const lower = op.toLowerCase()
    if (lower !== 'add' && lower !== 'replace' && lower !== 'remove')
      throw badRequest('invalidSyntax', `${op.slice(0, 50)} is no operation: add, replace or remove`)
    return { op: lower, path: path ?? undefined, value }
  })
}

const get = (resource: Resource, name: string): unknown => {
  const key = keyOf(resource, name)
  return key === undefined ? undefined : resource[key]
}

function textAt(resource: Resource, name: string): string | undefined {
  const value = get(resource, name)
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw badRequest('invalidValue', `${name} must be a text`)
  if (value.length > longestName) throw badRequest('invalidValue', `${name} has at most ${longestName} characters`)
  return value.trim()
}

function emailOf(resource: Resource, userName: string): string {
  const list = get(resource, 'emails')
  const all = Array.isArray(list) ? list.filter(isObject) : []
  const chosen = all.find((one) => one.primary === true) ?? all.find((one) => get(one, 'type') === 'work') ?? all[0]
  const email = Email.safeParse(chosen ? get(chosen, 'value') : userName)
  if (!email.success) throw badRequest('invalidValue', 'A user needs an e-mail address: in emails, or as userName')
  return email.data
}

/** A name that the platform shows; addresses of pages are none. */
function nameOf(resource: Resource, userName: string): string {
  const name = get(resource, 'name')
  const parts = isObject(name) ? name : {}
  const full = [textAt(parts, 'givenName'), textAt(parts, 'familyName')].filter(Boolean).join(' ')
  const wanted = textAt(resource, 'displayName') || textAt(parts, 'formatted') || full || userName
  return wanted.replaceAll('://', ' ').slice(0, limits.nameMax).trim() || userName.slice(0, limits.nameMax)
}

export interface UserFields {
  userName: string
  externalId: string | null
  displayName: string
  email: string
  name: string
  /** Absent: the directory did not say. */
  active: boolean | undefined
}

/** The parts of a user that the platform acts on. @throws ScimError invalidValue */
export function userFields(resource: Resource): UserFields {
  const userName = textAt(resource, 'userName')
  if (!userName) throw badRequest('invalidValue', 'userName is required')
  const active = get(resource, 'active')
  if (active !== undefined && typeof active !== 'boolean')
    throw badRequest('invalidValue', 'active must be true or false')
  return {
    userName,
    externalId: textAt(resource, 'externalId') ?? null,
    displayName: textAt(resource, 'displayName') ?? '',
    email: emailOf(resource, userName),
    name: nameOf(resource, userName),
    active,
  }
}

export interface GroupFields {
  displayName: string
  externalId: string | null
  /** Ids of users. */
  members: string[]
}

/** @throws ScimError invalidValue */
export function groupFields(resource: Resource): GroupFields {
  const displayName = textAt(resource, 'displayName')
  if (!displayName) throw badRequest('invalidValue', 'displayName is required')
  const list = get(resource, 'members') ?? []
  const ids = (Array.isArray(list) ? list : [list]).map((one: unknown) => {
    const id = isObject(one) ? get(one, 'value') : one
    if (typeof id !== 'string' || id === '') throw badRequest('invalidValue', 'A member is named by its value, an id')
    const type = isObject(one) ? get(one, 'type') : undefined
    if (typeof type === 'string' && type.toLowerCase() === 'group')
      throw badRequest('invalidValue', 'Groups cannot be members of groups')
    return id
  })
  return { displayName, externalId: textAt(resource, 'externalId') ?? null, members: [...new Set(ids)] }
}
