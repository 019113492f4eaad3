import { enterpriseSchema, groupSchema, userSchema } from './scim.resource.ts'

/** Resources that a list shows at most. */
export const mostResults = 200

/** The abilities of this server (RFC 7643, section 5). */
export const serviceProviderConfig = (base: string) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostResults },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description: 'A token that an administrator of this platform made for the directory',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${base}/ServiceProviderConfig` },
})

const resourceType = (base: string, name: string, endpoint: string, schema: string, extensions: string[] = []) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
  id: name,
  name,
  endpoint,
  schema,
  schemaExtensions: extensions.map((extension) => ({ schema: extension, required: false })),
  meta: { resourceType: 'ResourceType', location: `${base}/ResourceTypes/${name}` },
})

export const resourceTypes = (base: string) => [
  resourceType(base, 'User', '/Users', userSchema, [enterpriseSchema]),
  resourceType(base, 'Group', '/Groups', groupSchema),
]

interface Attribute {
  type?: string
  multiValued?: boolean
  required?: boolean
  caseExact?: boolean
  mutability?: string
  uniqueness?: string
  subAttributes?: object[]
}

const attribute = (name: string, description: string, other: Attribute = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...other,
})

const schemaOf = (base: string, id: string, name: string, attributes: object[]) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
  id,
  name,
  description: name,
  attributes,
  meta: { resourceType: 'Schema', location: `${base}/Schemas/${id}` },
})

/** The attributes that the platform acts on; others are kept and given back. */
export const schemas = (base: string) => [
  schemaOf(base, userSchema, 'User', [
    attribute('userName', 'The name of the user in the directory', { required: true, uniqueness: 'server' }),
    attribute('externalId', 'The id of the user in the directory', { caseExact: true }),
    attribute('displayName', 'The name that the platform shows'),
    attribute('name', 'The parts of the name', {
      type: 'complex',
      subAttributes: [
        attribute('formatted', 'The whole name'),
        attribute('givenName', 'The given name'),
        attribute('familyName', 'The family name'),
      ],
    }),
    attribute('emails', 'The primary address, or the one for work, is that of the account', {
      type: 'complex',
      multiValued: true,
      required: true,
      subAttributes: [
        attribute('value', 'The address'),
        attribute('type', 'Such as work'),
        attribute('primary', 'Is it the main one?', { type: 'boolean' }),
      ],
    }),
    attribute('active', 'False suspends the account', { type: 'boolean' }),
    attribute('groups', 'The groups of the user', {
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      subAttributes: [
        attribute('value', 'The id of the group', { mutability: 'readOnly' }),
        attribute('display', 'The name of the group', { mutability: 'readOnly' }),
      ],
    }),
  ]),
  schemaOf(base, enterpriseSchema, 'EnterpriseUser', [
    attribute('employeeNumber', 'The number of the user in the company'),
    attribute('costCenter', 'The cost centre'),
    attribute('organization', 'The organisation'),
    attribute('division', 'The division'),
    attribute('department', 'The department'),
    attribute('manager', 'The manager', {
      type: 'complex',
      subAttributes: [
        attribute('value', 'The id of the manager'),
        attribute('displayName', 'The name of the manager', { mutability: 'readOnly' }),
      ],
    }),
  ]),
  schemaOf(base, groupSchema, 'Group', [
    attribute('displayName', 'The name of the group', { required: true, uniqueness: 'server' }),
    attribute('externalId', 'The id of the group in the directory', { caseExact: true }),
    attribute('members', 'Users; groups are not accepted', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'The id of the user', { mutability: 'immutable' }),
        attribute('display', 'The name of the user', { mutability: 'readOnly' }),
      ],
    }),
  ]),
]
