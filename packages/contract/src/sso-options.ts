import * as z from 'zod/mini'
import { optionalText } from './primitives.ts'

/** The protocols by which a provider signs people in. */
export const ssoTypes = ['saml', 'oidc', 'ldap'] as const
export type SsoType = (typeof ssoTypes)[number]

/** Empty clears the option. */
const webAddress = z
  .string()
  .check(z.trim(), z.maxLength(2048), z.regex(/^(https?:\/\/[^\s"'<>]+)?$/, 'Enter a web address'))

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
  oidc: { options: {}, secrets: [] },
  ldap: { options: {}, secrets: [] },
} as const satisfies Record<SsoType, { options: Record<string, z.ZodMiniType>; secrets: readonly string[] }>

const every = { ...common, ...ssoOptions.saml.options, ...ssoOptions.oidc.options, ...ssoOptions.ldap.options }

/** The options as they are read: a secret is told as whether it is set. */
export const SsoOptions = z.partial(z.object(every))
export type SsoOptions = z.infer<typeof SsoOptions>

/** The options as they are written. An absent one stays; an empty text clears one. */
export const SsoOptionsPatch = z.partial(z.strictObject(every))
export type SsoOptionsPatch = z.infer<typeof SsoOptionsPatch>

/** The options that a provider of this type has. */
export const optionNames = (type: SsoType): readonly string[] => [
  ...Object.keys(common),
  ...Object.keys(ssoOptions[type].options),
  ...ssoOptions[type].secrets,
]
