import { SsoOptions, ssoOptions, type SsoProvider, type SsoSignIn } from '@app/contract'
import * as z from 'zod/mini'
import { iso } from '../../platform/clock.ts'
import { jsonColumn, objectColumn } from '../../platform/db/json.ts'
import { certificatesOf } from './saml/saml.expiry.ts'
import type { listSignIns } from './sign-ins.store.ts'
import type { ProviderRow } from './sso.store.ts'

const readOptions = jsonColumn('sso_providers.options', SsoOptions)
const readSecrets = jsonColumn('sso_providers.secrets', z.record(z.string(), z.string()))
const readSent = objectColumn('sso_sign_ins.sent')
const readApplied = jsonColumn('sso_sign_ins.applied', z.array(z.string()))

const readGroups = jsonColumn('sso_sign_ins.group_names', z.array(z.string()))

/** The groups of a kept sign-in; null when the provider said nothing of groups. */
export const groupsOf = ({ group_names, id }: { group_names: string | null; id: string }): string[] | null =>
  group_names === null ? null : readGroups(group_names, id)

/** The options of a provider, without those that are secret. */
export const optionsOf = ({ options, id }: Pick<ProviderRow, 'options' | 'id'>): SsoOptions => readOptions(options, id)
/** Its secrets by their names, sealed. */
export const secretsOf = ({ secrets, id }: Pick<ProviderRow, 'secrets' | 'id'>) => readSecrets(secrets, id)

/** Where a SAML provider brings its answers; the same for all, since an answer names who it is from. */
export const acsUrl = (baseUrl: string): string => `${baseUrl}/ee/sso/login/callback`
/** The name by which a SAML provider knows this platform, where its metadata is as well. */
export const entityId = (baseUrl: string, id: string): string => `${baseUrl}/ee/sso/entity/${id}`

/** Where an OpenID Connect provider brings its answers: each has its own, so that none can answer for another (RFC 9700, 4.4). */
export const callbackUrl = (baseUrl: string, id: string): string => `${baseUrl}/ee/sso/oidc/${id}/callback`

export function providerView(row: ProviderRow, baseUrl: string): SsoProvider {
  const secrets = secretsOf(row)
  const options = optionsOf(row)
  const set = Object.fromEntries(ssoOptions[row.type].secrets.map((name) => [name, Object.hasOwn(secrets, name)]))
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    active: row.active === 1,
    domainFilter: row.domain_filter,
    acsURL: acsUrl(baseUrl),
    entityID: entityId(baseUrl, row.id),
    ...(row.type === 'oidc' ? { callbackURL: callbackUrl(baseUrl, row.id) } : {}),
    ...(row.type === 'saml'
      ? {
          certificates: certificatesOf(options).map(({ option, expiresAt }) => ({ option, expiresAt: iso(expiresAt) })),
        }
      : {}),
    options: { ...options, ...set },
  }
}

export function signInView(row: Awaited<ReturnType<typeof listSignIns>>[number]): SsoSignIn {
  return {
    id: row.id,
    createdAt: iso(row.created_at),
    result: row.result,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.detail === null ? {} : { detail: row.detail }),
    subject: row.subject,
    email: row.email,
    user: row.user_id !== null && row.username !== null ? { id: row.user_id, username: row.username } : null,
    created: row.created === 1,
    address: row.address,
    sent: readSent(row.sent, row.id),
    groups: groupsOf(row),
    applied: readApplied(row.applied, row.id),
  }
}
