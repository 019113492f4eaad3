import type { SsoProvider } from '@app/contract'

/** A text option in the form of a provider. */
export interface TextOption {
  name: TextName
  label: string
  help?: string
  placeholder?: string
  /** Lines of a PEM text; absent: one line. */
  rows?: number
  /** It is written and never read back. */
  secret?: boolean
}

type Type = SsoProvider['type']

export const typeNames: Record<Type, string> = { saml: 'SAML', oidc: 'OpenID Connect', ldap: 'LDAP' }

export const textNames = {
  saml: [
    'entryPoint',
    'idpIssuer',
    'cert',
    'nextCert',
    'emailAttribute',
    'nameAttribute',
    'usernameAttribute',
    'groupsAttribute',
  ],
  oidc: [
    'issuer',
    'clientId',
    'clientSecret',
    'scopes',
    'emailAttribute',
    'nameAttribute',
    'usernameAttribute',
    'groupsAttribute',
  ],
  ldap: [
    'ldapUrl',
    'ldapCa',
    'bindDn',
    'bindPassword',
    'baseDn',
    'userFilter',
    'emailAttribute',
    'nameAttribute',
    'usernameAttribute',
    'groupsAttribute',
    'groupsBaseDn',
    'groupsFilter',
  ],
} as const satisfies Record<Type, readonly string[]>
export type TextName = (typeof textNames)[Type][number]
export const secretNames = ['clientSecret', 'bindPassword'] as const satisfies readonly TextName[]

export const switchNames = ['startTls', 'createAccounts', 'skipSecondFactor', 'idpInitiated'] as const
export type SwitchName = (typeof switchNames)[number]

/** The options that carry what is known of a person, in the words of a protocol. */
const about = (what: string, usual: Record<'email' | 'name' | 'username' | 'groups', string>): TextOption[] => [
  { name: 'emailAttribute', label: `${what} with the email address`, help: `Optional. Usually ${usual.email}.` },
  { name: 'nameAttribute', label: `${what} with the name`, help: `Optional. Usually ${usual.name}.` },
  { name: 'usernameAttribute', label: `${what} with the user name`, help: `Optional. Usually ${usual.username}.` },
  { name: 'groupsAttribute', label: `${what} with the groups`, help: `Optional. Usually ${usual.groups}.` },
]

/** The text options of each type, in the order of the form. */
export const textOptions: Record<Type, TextOption[]> = {
  saml: [
    { name: 'entryPoint', label: 'Identity Provider Single Sign-On URL' },
    { name: 'idpIssuer', label: 'Identity Provider Issuer ID/URL' },
    { name: 'cert', label: 'X.509 certificate', help: 'As PEM. It signs the answers of the provider.', rows: 6 },
    { name: 'nextCert', label: 'Next certificate', help: 'Optional. Both count while one is exchanged.', rows: 3 },
    ...about('Attribute', {
      email: 'email, mail or the claim emailaddress',
      name: 'displayName, or firstName and lastName',
      username: 'username or uid',
      groups: 'groups or memberOf',
    }),
  ],
  oidc: [
    {
      name: 'issuer',
      label: 'Issuer',
      placeholder: 'https://login.example.com',
      help: 'The address below which the provider has /.well-known/openid-configuration.',
    },
    { name: 'clientId', label: 'Client ID' },
    { name: 'clientSecret', label: 'Client secret', secret: true },
    {
      name: 'scopes',
      label: 'More scopes',
      help: 'Optional, such as groups. openid, email and profile are always sent.',
    },
    ...about('Claim', { email: 'email', name: 'name', username: 'preferred_username', groups: 'groups' }),
  ],
  ldap: [
    {
      name: 'ldapUrl',
      label: 'Address of the directory',
      placeholder: 'ldaps://ldap.example.com',
      help: 'An ldaps address, or an ldap address with STARTTLS.',
    },
    {
      name: 'ldapCa',
      label: 'Certificates of your own authority',
      help: 'Optional, as PEM. Without them the public authorities count.',
      rows: 3,
    },
    { name: 'bindDn', label: 'Bind DN', help: 'The account that looks people up. Empty: anybody may look.' },
    { name: 'bindPassword', label: 'Bind password', secret: true },
    {
      name: 'baseDn',
      label: 'Base DN',
      placeholder: 'ou=people,dc=example,dc=com',
      help: 'People are searched below it.',
    },
    {
      name: 'userFilter',
      label: 'Filter for people',
      placeholder: '(uid={username})',
      help: 'Optional. {username} is what was typed.',
    },
    ...about('Attribute', {
      email: 'mail',
      name: 'displayName or cn',
      username: 'uid or sAMAccountName',
      groups: 'memberOf',
    }),
    {
      name: 'groupsBaseDn',
      label: 'Base DN of groups',
      help: 'Optional. Empty: the attribute above names the groups.',
    },
    {
      name: 'groupsFilter',
      label: 'Filter for groups',
      placeholder: '(member={dn})',
      help: 'Optional. {dn} is the entry of the person.',
    },
  ],
}

const startTls = {
  name: 'startTls',
  label: 'Use STARTTLS',
  help: 'Encrypts the connection to an ldap address.',
} as const
const createAccounts = {
  name: 'createAccounts',
  label: 'Create accounts at the first sign-in',
  help: 'Otherwise only people with an invitation get one.',
} as const
const skipSecondFactor = {
  name: 'skipSecondFactor',
  label: 'The provider asks for a second factor',
  help: 'Second factors of FlowForge are not asked for at this sign-in.',
} as const
const idpInitiated = {
  name: 'idpInitiated',
  label: 'The provider may begin a sign-in',
  help: 'For tiles in the portal of the provider. Less safe: links can sign people in as somebody else.',
} as const

/** The switches of each type, in the order of the form. */
export const switchOptions: Record<Type, { name: SwitchName; label: string; help: string }[]> = {
  saml: [createAccounts, skipSecondFactor, idpInitiated],
  oidc: [createAccounts, skipSecondFactor],
  ldap: [startTls, createAccounts, skipSecondFactor],
}
