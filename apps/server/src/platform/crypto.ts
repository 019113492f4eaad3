import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { clientPrefix, TokenPrefix } from '@app/contract'

/** A new secret of 256 bits behind a prefix that tells its kind, for example `fft_…`. */
export function newToken(prefix: TokenPrefix | typeof clientPrefix): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** Stored form of a token: SHA-256, hex. Tokens are random, so no slow hash is needed. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Compares two texts without telling by its duration where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** A master key of 32 bytes. Its id is derived from it and tells nothing about it. */
export interface MasterKey {
  id: string
  secret: Buffer
  /** For a former key: the last position in the chain of the audit log that may carry its MACs. */
  auditUntil?: number
}

/** The master keys of a platform: what is sealed is sealed under the current one; values of former ones can be opened. */
export interface Keys {
  readonly current: MasterKey
  readonly all: readonly MasterKey[]
}

export const masterKey = (secret: Buffer): MasterKey => ({
  id: Buffer.from(hkdfSync('sha256', secret, '', 'id of a master key', 8)).toString('hex'),
  secret,
})

/** Just this key, and no former one. */
export function oneKey(secret: Buffer): Keys {
  const current = masterKey(secret)
  return { current, all: [current] }
}

/** Encrypts what the database must not show. The context ties a value to its place, so rows cannot be swapped. */
export interface Vault {
  seal(text: string, context: string): string
  /** @throws Error when the key is another one or the value was altered. */
  open(sealed: string, context: string): string
  /**
   * The same value under the current key; undefined for one that is under it already. The same value gives the same
   * again, so that what was equal stays equal.
   * @throws Error as `open`.
   */
  reseal(sealed: string, context: string): string | undefined
}

/** Makes and checks message authentication codes (MACs): only who has the key can do either. */
export interface Signer {
  sign(text: string): string
  /** Is this the MAC of the text? That of a former key counts up to the position where its time ended. */
  verifies(text: string, mac: string, position?: number): boolean
}

/** HMAC-SHA256, base64url, under a key of its own for each purpose. */
export function createSigner(keys: Keys, purpose: string): Signer {
  const derived = new Map<string, Buffer>()
  const ownKey = ({ id, secret }: MasterKey) => {
    const own = derived.get(id) ?? Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
    derived.set(id, own)
    return own
  }
  const macOf = (key: MasterKey, text: string) => createHmac('sha256', ownKey(key)).update(text).digest('base64url')
  return {
    sign: (text) => macOf(keys.current, text),
    verifies: (text, mac, position = 0) =>
      keys.all.some((key) => position <= (key.auditUntil ?? Infinity) && macOf(key, text) === mac),
  }
}

/** Before values said under which key they are. */
const withoutId = 'v1'
const version = 'v2'

function encrypt({ id, secret }: MasterKey, text: string, context: string, iv: Buffer): string {
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const parts = [iv, cipher.getAuthTag(), body].map((part) => part.toString('base64url'))
  return [version, id, ...parts].join('.')
}

function decrypt({ secret }: MasterKey, parts: readonly string[], context: string): string {
  const [iv, authTag, body] = parts
  if (parts.length !== 3 || !iv || !authTag || body === undefined) throw new Error('Not a sealed value')
  // Without the length a shortened tag counts, which is easier to guess.
  const cipher = createDecipheriv('aes-256-gcm', secret, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
  cipher.setAAD(Buffer.from(context)).setAuthTag(Buffer.from(authTag, 'base64url'))
  return Buffer.concat([cipher.update(Buffer.from(body, 'base64url')), cipher.final()]).toString('utf8')
}

/** Finds sealed values within a text, such as JSON. */
export const sealedValues = /\bv(?:1|2\.[0-9a-f]{16})\.[\w-]{16}\.[\w-]{22}\.[\w-]*/g

/** AES-256-GCM under the master keys of a platform. */
export function createVault(keys: Keys): Vault {
  function open(sealed: string, context: string): string {
    const [tag, ...parts] = sealed.split('.')
    if (tag === version) {
      const key = keys.all.find(({ id }) => id === parts[0])
      if (!key) throw new Error('Sealed under a key that this server does not have')
      return decrypt(key, parts.slice(1), context)
    }
    if (tag !== withoutId) throw new Error('Not a sealed value')
    let last: unknown
    for (const key of keys.all) {
      try {
        return decrypt(key, parts, context)
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  return {
    seal: (text, context) => encrypt(keys.current, text, context, randomBytes(12)),
    open,
    reseal(sealed, context) {
      if (sealed.startsWith(`${version}.${keys.current.id}.`)) return undefined
      const text = open(sealed, context)
      const own = Buffer.from(hkdfSync('sha256', keys.current.secret, '', 'nonces of re-sealed values', 32))
      // The nonce follows from the sealed value: another value has another nonce, and the same value may have the
      // same.
      const iv = createHmac('sha256', own)
        .update(JSON.stringify([sealed, context]))
        .digest()
        .subarray(0, 12)
      return encrypt(keys.current, text, context, iv)
    },
  }
}

/** Whether a text is an Ed25519 public key: the base64 of its SPKI form. */
export function isPublicKey(text: string): boolean {
  // The bytes before the 32 bytes of every such key in this form.
  return /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/.test(text)
}
