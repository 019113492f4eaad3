import { createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import { licenceMax, type StoredLicence } from '@app/contract'
import * as z from 'zod/mini'

const limit = z.nullable(z.number().check(z.int(), z.minimum(0)))
const word = z.string().check(z.minLength(1), z.maxLength(200))

/** The claims a vendor writes into a licence. Limits that are left out do not hold. */
export const LicenceClaims = z.strictObject({
  id: word,
  organisation: word,
  tier: word,
  validFrom: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  dev: z.optional(z.literal(true)),
  note: z.optional(z.string().check(z.maxLength(1000))),
  /** The platform that it is for; without one, any. */
  platform: z.optional(word),
  users: z.optional(limit),
  teams: z.optional(limit),
  projects: z.optional(limit),
  devices: z.optional(limit),
})
export type LicenceClaims = z.infer<typeof LicenceClaims>

const prefix = 'flowforge-license.'

/** A licence as text: a prefix, the claims and an Ed25519 signature over both, in base64url. */
export function writeLicence(claims: LicenceClaims, key: KeyObject): string {
  const signed = prefix + Buffer.from(JSON.stringify(LicenceClaims.parse(claims))).toString('base64url')
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}

/** Why a text is no licence that may be put in force; the message is for a person. */
export class LicenceFault extends Error {
  override name = 'LicenceFault'
}

/** Ed25519 public keys from base64 of their DER form, as the command for licences prints them. */
export function publicKeys(texts: readonly string[]): KeyObject[] {
  return texts.map((text) => createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' }))
}

/**
 * Reads a signed text, whoever it is for and whenever it is valid. @throws LicenceFault when it is no licence, or not
 * signed by one of these keys.
 */
export function readLicence(text: string, keys: readonly KeyObject[]): StoredLicence {
  const [, payload, signature] = /^flowforge-license\.([\w-]+)\.([\w-]+)$/.exec(text.slice(0, licenceMax + 1)) ?? []
  if (payload === undefined || signature === undefined) throw new LicenceFault('This is not a license')
  if (keys.length === 0) throw new LicenceFault('This platform has no key to check licenses with (FORGE_LICENSE_KEYS)')
  const signed = Buffer.from(prefix + payload)
  if (!keys.some((key) => verify(null, signed, key, Buffer.from(signature, 'base64url'))))
    throw new LicenceFault('This license was altered, or is not signed by the vendor of this platform')
  const claims = parsed(Buffer.from(payload, 'base64url').toString('utf8'))
  const { users = null, teams = null, projects = null, devices = null, note, platform } = claims
  return {
    type: claims.dev ? 'DEV' : 'EE',
    id: claims.id,
    organisation: claims.organisation,
    tier: claims.tier,
    validFrom: Date.parse(claims.validFrom),
    expiresAt: Date.parse(claims.expiresAt),
    ...(note === undefined ? {} : { note }),
    ...(platform === undefined ? {} : { platform }),
    limits: { users, teams, projects, devices },
    text,
  }
}

function parsed(text: string): LicenceClaims {
  try {
    return LicenceClaims.parse(JSON.parse(text))
  } catch {
    throw new LicenceFault('This license lacks what a license must say')
  }
}

/**
 * @throws LicenceFault when a licence may not be put in force here or now.
 */
export function judgeLicence(licence: StoredLicence, platform: string, now: number): void {
  if (licence.platform !== undefined && licence.platform !== platform)
    throw new LicenceFault(`This license is for another platform (${licence.platform}); this one is ${platform}`)
  if (licence.expiresAt <= now) throw new LicenceFault('This license has expired')
  if ((licence.validFrom ?? 0) > now) throw new LicenceFault('This license is not valid yet')
}
