import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { isObject } from '../../platform/objects.ts'

/** Credentials of flows by the id of their node. */
export type Credentials = Record<string, unknown>

// As Node-RED writes them: AES-256-CTR under the hash of the secret, the initial vector in hex before the rest.
const algorithm = 'aes-256-ctr'
const ivDigits = 32
const keyOf = (secret: string) => createHash('sha256').update(secret).digest()

/** Opens what Node-RED has stored; a file that was never encrypted is taken as it is. Undefined with a wrong secret. */
export function openCredentials(stored: unknown, secret: string): Credentials | undefined {
  if (!isObject(stored)) return undefined
  const { $: sealed } = stored
  if (sealed === undefined) return stored
  if (typeof sealed !== 'string' || !/^[0-9a-f]{32}/.test(sealed)) return undefined
  const iv = Buffer.from(sealed.slice(0, ivDigits), 'hex')
  const cipher = createDecipheriv(algorithm, keyOf(secret), iv)
  const text = cipher.update(sealed.slice(ivDigits), 'base64', 'utf8') + cipher.final('utf8')
  try {
    const plain: unknown = JSON.parse(text)
    return isObject(plain) ? plain : undefined
  } catch {
    return undefined
  }
}

/** Credentials as Node-RED stores them under this secret. */
export function sealCredentials(plain: Credentials, secret: string): { $?: string } {
  if (Object.keys(plain).length === 0) return {}
  const iv = randomBytes(ivDigits / 2)
  const cipher = createCipheriv(algorithm, keyOf(secret), iv)
  return { $: iv.toString('hex') + cipher.update(JSON.stringify(plain), 'utf8', 'base64') + cipher.final('base64') }
}
