import * as z from 'zod/mini'

/** Opaque identifier: UUIDs for instances, short strings for all else. Clients must not parse it. */
export const Id = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, 'Not a valid id'))

/** ISO 8601 in UTC with milliseconds. */
export const Time = z.iso.datetime()

export const Links = z.object({ self: z.string() })

/** Answer of every action and delete without a body of its own. */
export const Ok = z.object({ status: z.literal('okay') })
export type Ok = z.infer<typeof Ok>
export const okay: Ok = { status: 'okay' }

/** Trimmed text that is neither empty nor longer than `max` characters, without the NUL that PostgreSQL cannot keep. */
export function text(max: number) {
  return z.string().check(
    z.trim(),
    z.minLength(1, 'Required'),
    z.maxLength(max, `At most ${max} characters`),
    z.refine((value) => !value.includes('\0'), 'Must not contain NUL characters'),
  )
}

/** The same, and it may be empty. */
export function optionalText(max: number) {
  return z.string().check(
    z.trim(),
    z.maxLength(max, `At most ${max} characters`),
    z.refine((value) => !value.includes('\0'), 'Must not contain NUL characters'),
  )
}

/** Query of every list; `search` is an alias of `query` (API-64). */
export const PageQuery = z.object({
  cursor: z.optional(z.string().check(z.regex(/^-?[A-Za-z0-9_-]{1,64}$/, 'Not a valid cursor'))),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
  query: z.optional(z.string().check(z.maxLength(200))),
  search: z.optional(z.string().check(z.maxLength(200))),
})
export type PageQuery = z.infer<typeof PageQuery>

export const PageMeta = z.object({
  next_cursor: z.optional(z.string()),
  previous_cursor: z.optional(z.string()),
})

/** The envelope of a list: `count` is the number of matching rows regardless of the cursor. */
export function page<K extends string, S extends z.ZodMiniType>(key: K, item: S) {
  return z.object({ meta: PageMeta, count: z.number(), [key]: z.array(item) } as {
    meta: typeof PageMeta
    count: z.ZodMiniNumber
  } & Record<K, z.ZodMiniArray<S>>)
}

export const TeamParams = z.object({ teamId: Id })
export const ApplicationParams = z.object({ applicationId: Id })
export const InstanceParams = z.object({ instanceId: Id })
