import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, PageMeta, text, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** A token with which the directory of a company creates, changes and suspends accounts. The secret itself is shown once. */
export const ScimToken = z.object({
  id: Id,
  name: z.string(),
  /** Tokens with the same directory see the same accounts and groups, so one token can replace another. */
  directory: z.string(),
  /** May the directory take over an account that has the address of one of its people? */
  adoptExisting: z.boolean(),
  /** The provider for whose email domain the directory speaks. null: for no domain that a provider covers. */
  provider: z.nullable(z.object({ id: Id, name: z.string(), domainFilter: z.nullable(z.string()) })),
  createdAt: Time,
  /** null: it does not expire. */
  expiresAt: z.nullable(Time),
  /** Exact to a minute. */
  lastUsedAt: z.nullable(Time),
})
export type ScimToken = z.infer<typeof ScimToken>

export const ScimTokenCreate = z.object({
  name: text(limits.nameMax),
  directory: text(limits.nameMax),
  adoptExisting: z.optional(z.boolean()),
  /** A provider with an email domain. */
  provider: z.optional(z.nullable(Id)),
  expiresAt: z.nullable(Time.check(z.maxLength(32))),
})
export type ScimTokenCreate = z.infer<typeof ScimTokenCreate>

/** A group that a directory has sent. */
export const ScimGroup = z.object({
  id: Id,
  directory: z.string(),
  name: z.string(),
  members: z.number(),
  updatedAt: Time,
})
export type ScimGroup = z.infer<typeof ScimGroup>

const path = '/api/v1/admin/scim'

/** Tokens for SCIM 2.0, whose own addresses below `/scim/v2` are described by RFC 7644. */
export const scimRoutes = behind('sso', {
  'scim.tokens': route({
    method: 'GET',
    path: `${path}/tokens`,
    summary: 'Tokens for SCIM, newest first, without the secrets',
    access: may('platform:scim', 'platform'),
    reply: z.object({ meta: PageMeta, count: z.number(), baseUrl: z.string(), tokens: z.array(ScimToken) }),
    errors: [],
  }),
  'scim.createToken': route({
    method: 'POST',
    path: `${path}/tokens`,
    summary: 'Create a token for SCIM. Only this answer shows it',
    access: may('platform:scim', 'platform'),
    body: ScimTokenCreate,
    reply: z.extend(ScimToken, { token: z.string() }),
    errors: ['invalid_request'],
    audit: 'platform.scim-token.created',
    example: { body: { name: 'Entra, 2026', directory: 'Entra ID', expiresAt: '2030-01-01T00:00:00.000Z' } },
  }),
  'scim.deleteToken': route({
    method: 'DELETE',
    path: `${path}/tokens/:tokenId`,
    summary: 'Revoke a token for SCIM at once. The accounts stay as they are',
    access: may('platform:scim', 'platform'),
    params: z.object({ tokenId: Id }),
    reply: Ok,
    errors: [],
    audit: 'platform.scim-token.deleted',
  }),
  'scim.groups': route({
    method: 'GET',
    path: `${path}/groups`,
    summary: 'Groups that directories have sent, by name',
    access: may('platform:scim', 'platform'),
    reply: z.object({ meta: PageMeta, count: z.number(), groups: z.array(ScimGroup) }),
    errors: [],
  }),
})
