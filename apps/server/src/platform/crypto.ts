import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { clientPrefix, TokenPrefix } from '@app/contract'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A new secret of 256 bits behind a prefix that tells its kind, for example `fft_…`. */
export function newToken(prefix: TokenPrefix | typeof clientPrefix): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** How tokens are stored: SHA-256, hex. They are random, so no slow hash is needed. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Compares two texts without telling by its duration where they differ. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/** Encrypts what the database must not show. The context ties a value to its place, so rows cannot be swapped. */
export interface Vault {
  seal(text: string, context: string): string
  /** @throws Error when the key is another one or the value was altered. */
  open(sealed: string, context: string): string
}

/** Marks a text so that only who has the key can make or check the mark. */
export type Marker = (text: string) => string

/** HMAC-SHA256, base64url, under a key of its own for each purpose. */
export function createMarker(key: Buffer, purpose: string): Marker {
  const own = Buffer.from(hkdfSync('sha256', key, '', purpose, 32))
  return (text) => createHmac('sha256', own).update(text).digest('base64url')
}

const version = 'v1'

/** AES-256-GCM under one master key of 32 bytes. */
export function createVault(key: Buffer): Vault {
  return {
    seal(text, context) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return [
        version,
        iv.toString('base64url'),
        cipher.getAuthTag().toString('base64url'),
        body.toString('base64url'),
      ].join('.')
    },
    open(sealed, context) {
      const [tag, iv, mark, body] = sealed.split('.')
      if (tag !== version || !iv || !mark || body === undefined) throw new Error('Not a sealed value')
      // Without the length a shortened mark counts, which is easier to guess.
      const cipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), { authTagLength: 16 })
      cipher.setAAD(Buffer.from(context)).setAuthTag(Buffer.from(mark, 'base64url'))
      return Buffer.concat([cipher.update(Buffer.from(body, 'base64url')), cipher.final()]).toString('utf8')
    },
  }
}

/**
 * The master key: from configuration, else from a file beside (never inside) the database,
 * made at the first start and readable by the owner only.
 */
export function loadMasterKey(home: string, configured?: Buffer): Buffer {
  if (configured) return configured
  const folder = join(home, 'keys')
  const file = join(folder, 'master.key')
  if (!existsSync(file)) makeKey(folder, file)
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== 32) throw new Error('The master key in the keys folder is damaged: it must be 32 bytes in base64')
  return key
}

/** A key that is only half written would lose every secret: it gets its name when it is on the disk, and keeps it. */
function makeKey(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, randomBytes(32).toString('base64'), { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another server was faster; its key counts.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/** Whether a text is an Ed25519 public key, as the command for licences prints it. */
export function isPublicKey(text: string): boolean {
  // What stands before the 32 bytes of every such key in this form.
  return /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=$/.test(text)
}
