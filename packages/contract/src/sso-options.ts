import * as z from 'zod/mini'
import { optionalText } from './primitives.ts'

/** The protocols by which a provider signs people in. */
export const ssoTypes = ['saml', 'oidc', 'ldap'] as const
export type SsoType = (typeof ssoTypes)[number]

/** Empty clears the option. */
const webAddress = z
  .string()
  .check(z.trim(), z.maxLength(2048), z.regex(/^(https?:\/\/[^\s"'<>]+)?$/, 'Enter a web address'))

/** A filter of LDAP in which a name in braces is filled in. Empty clears the option. */
const filterWith = (name: string, what: string) =>
  optionalText(1024).check(
    z.refine(
      (text) => text === '' || text.includes(name),
      `The filter must contain ${name}, where ${what} is filled in`,
    ),
  )

/** Options of every type of provider. */
const common = {
  /** Makes an account for whoever signs in for the first time; otherwise only for people with an invitation. */
  createAccounts: z.boolean(),
  /** The provider asks for a second factor itself, so ours is not asked for. */
  skipSecondFactor: z.boolean(),
  /** The names of the attributes (or claims) that carry these; empty: the usual ones. */
  emailAttribute: optionalText(256),
  nameAttribute: optionalText(256),
  usernameAttribute: optionalText(256),
  groupsAttribute: optionalText(256),
}

/** The options of each type. `secrets` are written and never read back: a reply says only whether one is set. */
export const ssoOptions = {
  saml: {
    options: {
      entryPoint: webAddress,
      idpIssuer: optionalText(1024),
      /** PEM, or base64 alone. */
      cert: optionalText(20_000),
      /** The next certificate, while the provider exchanges the one above. */
      nextCert: optionalText(20_000),
      /** Accepts answers that nobody here asked for. */
      idpInitiated: z.boolean(),
    },
    secrets: [],
  },
  oidc: {
    options: {
      /** The issuer, below which the provider describes itself. */
      issuer: webAddress,
      clientId: optionalText(512),
      /** Scopes besides openid, email and profile, with spaces between. */
      scopes: optionalText(512),
    },
    secrets: ['clientSecret'],
  },
  ldap: {
    options: {
      /** ldaps://…, or ldap://… with STARTTLS. */
      ldapUrl: z
        .string()
        .check(z.trim(), z.maxLength(512), z.regex(/^(ldaps?:\/\/[^\s"'<>/]+\/?)?$/, 'Enter an ldap or ldaps address')),
      startTls: z.boolean(),
      /** Certificates of the authorities that the directory's certificate may come from, as PEM; empty: the public ones. */
      ldapCa: optionalText(100_000),
      /** The account that looks people up; empty: anybody may. */
      bindDn: optionalText(1024),
      /** Where people are searched. */
      baseDn: optionalText(1024),
      /** Finds a person, with {username} for what was typed. */
      userFilter: filterWith('{username}', 'the name'),
      /** Where groups are searched; empty: the attribute of the person names them. */
      groupsBaseDn: optionalText(1024),
      /** Finds the groups of a person, with {dn} for their entry. */
      groupsFilter: filterWith('{dn}', 'the entry of the person'),
    },
    secrets: ['bindPassword'],
  },
} as const satisfies Record<SsoType, { options: Record<string, z.ZodMiniType>; secrets: readonly string[] }>

/** Written, and never read back. */
const Secret = optionalText(2048)

const every = { ...common, ...ssoOptions.saml.options, ...ssoOptions.oidc.options, ...ssoOptions.ldap.options }

/** The options as they are read: a secret is told as whether it is set. */
export const SsoOptions = z.partial(z.object({ ...every, clientSecret: z.boolean(), bindPassword: z.boolean() }))
export type SsoOptions = z.infer<typeof SsoOptions>

/** The options as they are written. An absent one stays; an empty text clears one. */
export const SsoOptionsPatch = z.partial(z.strictObject({ ...every, clientSecret: Secret, bindPassword: Secret }))
export type SsoOptionsPatch = z.infer<typeof SsoOptionsPatch>

/** The options that a provider of this type has. */
export const optionNames = (type: SsoType): readonly string[] => [
  ...Object.keys(common),
  ...Object.keys(ssoOptions[type].options),
  ...ssoOptions[type].secrets,
]
