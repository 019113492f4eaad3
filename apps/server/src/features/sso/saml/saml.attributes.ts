import type { SsoOptions } from '@app/contract'
import type { Judged } from './saml.answer.ts'

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
const microsoft = 'http://schemas.microsoft.com/identity/claims'

/** The names under which providers send these, in the order in which they count. */
const usual = {
  email: [
    'email',
    'mail',
    'emailAddress',
    'Email',
    `${claims}/emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
  ],
  name: [
    'displayName',
    'name',
    'cn',
    `${microsoft}/displayname`,
    'urn:oid:2.16.840.1.113730.3.1.241',
    'urn:oid:2.5.4.3',
  ],
  first: ['firstName', 'givenName', 'first_name', `${claims}/givenname`, 'urn:oid:2.5.4.42'],
  last: ['lastName', 'surname', 'sn', 'last_name', `${claims}/surname`, 'urn:oid:2.5.4.4'],
  username: ['username', 'uid', 'urn:oid:0.9.2342.19200300.100.1.1'],
  groups: [
    'groups',
    'memberOf',
    'isMemberOf',
    'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups',
    'http://schemas.xmlsoap.org/claims/Group',
    'urn:oid:1.3.6.1.4.1.5923.1.5.1.1',
  ],
}

const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'

/** Reads from an answer who a person is, by the attributes that the provider is known to send. */
export function personOf({ nameId, nameIdFormat, attributes }: Judged, options: SsoOptions) {
  const texts = (names: readonly string[]): string[] | undefined => {
    const name = names.find((one) => Object.hasOwn(attributes, one))
    const value = name === undefined ? undefined : attributes[name]
    return value === undefined ? undefined : [value].flat().filter((one): one is string => typeof one === 'string')
  }
  const read = (own: string | undefined, names: readonly string[]) => texts(own ? [own] : names)
  const one = (own: string | undefined, names: readonly string[]) => read(own, names)?.[0]?.trim()
  const email = one(options.emailAttribute, usual.email) ?? (nameId.includes('@') ? nameId.trim() : undefined)
  const parts = [one(undefined, usual.first), one(undefined, usual.last)].filter(Boolean).join(' ')
  // A name that is another one each time knows nobody again: then the address has to.
  const subject = nameIdFormat === transient ? (email ?? '').toLowerCase() : nameId
  return {
    subject,
    email,
    name: one(options.nameAttribute, usual.name) ?? (parts === '' ? undefined : parts),
    username: one(options.usernameAttribute, usual.username),
    groups: read(options.groupsAttribute, usual.groups),
    sent: { NameID: nameId, ...(nameIdFormat === undefined ? {} : { 'NameID format': nameIdFormat }), ...attributes },
  }
}
