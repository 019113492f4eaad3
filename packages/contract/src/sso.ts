import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, page, PageQuery, Time, text } from './primitives.ts'
import { anyone, may, route } from './route.ts'
import { SsoOptions, SsoOptionsPatch, ssoTypes } from './sso-options.ts'
import { ssoReasonNames } from './sso-reasons.ts'
import { behind } from './switches.ts'

/** Parts of letters, digits and hyphens, in any script. */
const domain = /^@?[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*(\.[\p{L}\p{N}][\p{L}\p{M}\p{N}-]*)*$/u
/** The addresses that sign in through a provider: all of one domain, with or without its `@`. */
const DomainFilter = z
  .string()
  .check(z.trim(), z.toLowerCase(), z.regex(domain, 'Enter a domain such as @example.com'), z.maxLength(254))

export const SsoProvider = z.object({
  id: Id,
  name: z.string(),
  type: z.enum(ssoTypes),
  active: z.boolean(),
  /** With a leading `@`. Null: people choose this provider themselves. */
  domainFilter: z.nullable(z.string()),
  /** Addresses that the provider has to know. */
  acsURL: z.string(),
  entityID: z.string(),
  /** Where an OpenID Connect provider brings its answers; absent for other types. */
  callbackURL: z.optional(z.string()),
  /** The certificates with which a SAML provider signs, by their options; absent for other types. */
  certificates: z.optional(z.array(z.object({ option: z.enum(['cert', 'nextCert']), expiresAt: Time }))),
  options: SsoOptions,
})
export type SsoProvider = z.infer<typeof SsoProvider>

export const SsoProviderCreate = z.object({
  name: text(limits.nameMax),
  domainFilter: z.optional(DomainFilter),
  type: z.optional(z.enum(ssoTypes)),
})
export type SsoProviderCreate = z.infer<typeof SsoProviderCreate>

export const SsoProviderPatch = z.partial(
  z.object({
    name: text(limits.nameMax),
    /** Null: no domain. Only a provider of OpenID Connect may have none. */
    domainFilter: z.nullable(DomainFilter),
    active: z.boolean(),
    options: SsoOptionsPatch,
  }),
)
export type SsoProviderPatch = z.infer<typeof SsoProviderPatch>

/**
 * The result of a sign-in: `linking` waits for the password of the account, `step` for its second factor. `directory` is
 * no sign-in: the directory of the provider changed groups of the person, and rules did something.
 */
export const ssoResults = ['signed-in', 'step', 'linking', 'refused', 'directory'] as const

/** One sign-in through a provider, with what it sent. */
export const SsoSignIn = z.object({
  id: Id,
  createdAt: Time,
  result: z.enum(ssoResults),
  /** Why it was refused. */
  reason: z.optional(z.enum(ssoReasonNames)),
  detail: z.optional(z.string()),
  subject: z.nullable(z.string()),
  email: z.nullable(z.string()),
  user: z.nullable(z.object({ id: Id, username: z.string() })),
  created: z.boolean(),
  address: z.string(),
  /** Attributes as the provider sent them, without assertions and secrets. */
  sent: z.record(z.string(), z.unknown()),
  /** The groups that the provider named; null: it said nothing of groups. */
  groups: z.nullable(z.array(z.string())),
  /** The effects of the rules for groups, a sentence each. */
  applied: z.array(z.string()),
})
export type SsoSignIn = z.infer<typeof SsoSignIn>

/** A sign-in that waits for the password of an account, once, before the account is linked. */
export const SsoLink = z.object({ provider: z.string(), email: z.string(), username: z.string() })
export type SsoLink = z.infer<typeof SsoLink>

/** Metadata of a SAML provider: the text of its file, or the address where it is. */
export const SsoMetadata = z.object({
  xml: z.optional(z.string().check(z.minLength(1, 'Required'), z.maxLength(400_000))),
  url: z.optional(z.string().check(z.maxLength(2048), z.regex(/^https?:\/\/\S+$/, 'Enter a web address'))),
  /** The address may be of a private network. */
  allowPrivate: z.optional(z.boolean()),
})
export type SsoMetadata = z.infer<typeof SsoMetadata>

const Params = z.object({ providerId: Id })
const refusals = ['invalid_request'] as const
const example = { name: 'Example Bakery', domainFilter: '@example.com' }

export const ssoRoutes = behind('sso', {
  'sso.list': route({
    method: 'GET',
    path: '/ee/sso/providers',
    summary: 'Providers of single sign-on',
    access: may('saml-provider:list', 'platform'),
    query: PageQuery,
    reply: page('providers', SsoProvider),
    errors: [],
  }),
  'sso.create': route({
    method: 'POST',
    path: '/ee/sso/providers',
    summary: 'Create a provider, inactive and without options. SAML unless `type` says otherwise',
    access: may('saml-provider:create', 'platform'),
    body: SsoProviderCreate,
    reply: SsoProvider,
    errors: refusals,
    audit: 'platform.sso.provider.created',
    example: { body: example },
  }),
  'sso.get': route({
    method: 'GET',
    path: '/ee/sso/providers/:providerId',
    summary: 'One provider of single sign-on',
    access: may('saml-provider:read', 'platform'),
    params: Params,
    reply: SsoProvider,
    errors: [],
  }),
  'sso.update': route({
    method: 'PUT',
    path: '/ee/sso/providers/:providerId',
    summary: 'Update a provider. Absent fields and options stay',
    access: may('saml-provider:edit', 'platform'),
    params: Params,
    body: SsoProviderPatch,
    reply: SsoProvider,
    errors: refusals,
    audit: 'platform.sso.provider.updated',
    example: { body: { active: true } },
  }),
  'sso.delete': route({
    method: 'DELETE',
    path: '/ee/sso/providers/:providerId',
    summary:
      'Delete a provider. Accounts stay, and sign in with their passwords from then on. `roles=end` takes back what its rules gave',
    access: may('saml-provider:delete', 'platform'),
    params: Params,
    query: z.object({ roles: z.optional(z.enum(['keep', 'end'])) }),
    reply: Ok,
    errors: [],
    audit: 'platform.sso.provider.deleted',
    example: { reply: { status: 'okay' } },
  }),
  'sso.signIns': route({
    method: 'GET',
    path: '/ee/sso/providers/:providerId/sign-ins',
    summary: 'The last 100 sign-ins through a provider, newest first',
    access: may('saml-provider:read', 'platform'),
    params: Params,
    reply: z.object({ count: z.number(), signIns: z.array(SsoSignIn) }),
    errors: [],
  }),
  'sso.metadata': route({
    method: 'POST',
    path: '/ee/sso/providers/:providerId/metadata',
    summary: 'Options of a SAML provider, read from its metadata. Nothing is saved: send them with an update',
    access: may('saml-provider:edit', 'platform'),
    params: Params,
    body: SsoMetadata,
    reply: z.object({ options: SsoOptions }),
    errors: refusals,
    bodyLimit: 512 * 1024,
  }),
  'sso.login': route({
    method: 'GET',
    path: '/ee/sso/login',
    summary:
      'Begin a sign-in: redirects to the provider of an address (`u`) or to one by its id. `r`: the page asked for',
    access: anyone,
    query: z.object({
      u: z.optional(z.string().check(z.maxLength(254))),
      provider: z.optional(Id),
      r: z.optional(z.string().check(z.maxLength(2048))),
    }),
    errors: [],
  }),
  'sso.callback': route({
    method: 'POST',
    path: '/ee/sso/login/callback',
    whenDiskIsFull: true,
    summary: 'Takes the answer of a SAML provider. Sets the session cookie and redirects to the page asked for',
    access: anyone,
    crossOrigin: true,
    body: z.object({
      SAMLResponse: z.string().check(z.minLength(1), z.maxLength(400_000)),
      RelayState: z.optional(z.string().check(z.maxLength(4096))),
    }),
    errors: [],
    audit: 'account.login',
    bodyLimit: 512 * 1024,
  }),
  'sso.entity': route({
    method: 'GET',
    path: '/ee/sso/entity/:providerId',
    summary: 'Metadata of this platform for a SAML provider, as XML',
    access: anyone,
    params: Params,
    reply: z.string(),
    errors: [],
  }),
  'sso.linking': route({
    method: 'GET',
    path: '/ee/sso/link',
    summary: 'The account whose password is asked for before it is linked to a provider',
    access: anyone,
    reply: SsoLink,
    errors: [],
  }),
  'sso.link': route({
    method: 'POST',
    path: '/ee/sso/link',
    summary: 'Link the account by its password. Sets the session cookie; `redirect` is the page first asked for',
    access: anyone,
    body: z.object({ password: z.string().check(z.minLength(1, 'Required field'), z.maxLength(limits.passwordMax)) }),
    reply: z.object({ redirect: z.string() }),
    errors: ['unauthorized', 'mfa_required', 'user_suspended', 'too_many_requests'],
    audit: 'account.sso-linked',
    example: { body: { password: 'correct horse' }, reply: { redirect: '/' } },
  }),
})
