import { createDecipheriv, createHash, createHmac, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod/mini'
import { damaged, Unsealable, wrongPassphrase } from '../archive.errors.ts'

export const formerMagic = 'FLOWFORGE-SEALED 1\n'
const magic = formerMagic
const chunkBytes = 256 * 1024
const tagBytes = 16
const headerMax = 512
const Header = z.object({ salt: z.string(), check: z.string() })
const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)
/** The cost of scrypt: 128 MiB and a third of a second for each guess. */
const cost = 2 ** 17

interface Keys {
  encrypt: Buffer
  authenticate: Buffer
}

async function keysOf(passphrase: string, salt: Buffer): Promise<Keys> {
  const both = await deriveKey(passphrase.normalize('NFKC'), salt, 64, {
    N: cost,
    r: 8,
    p: 1,
    maxmem: 256 * 1024 * 1024,
  })
  return { encrypt: both.subarray(0, 32), authenticate: both.subarray(32) }
}

/** Nonce of chunk n. Each file has its own key, so a counter never repeats; the final chunk is flagged. */
function nonceOf(n: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(n))
  nonce[11] = last ? 1 : 0
  return nonce
}

/**
 * Decrypts a backup of the former format: scrypt, then AES-256-GCM in chunks, each authenticated in its place. Nothing is
 * passed on that was not authenticated. @throws Unsealable
 */
export async function* unseal(sealed: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let opened: { keys: Keys; context: Buffer } | undefined
  let n = 0
  const decrypted = (chunk: Buffer, last: boolean) => {
    const { keys, context } = opened!
    const at = chunk.length - tagBytes
    if (at < 0) throw damaged()
    const decipher = createDecipheriv('aes-256-gcm', keys.encrypt, nonceOf(n, last), { authTagLength: tagBytes })
    decipher.setAAD(context).setAuthTag(chunk.subarray(at))
    n += 1
    try {
      return Buffer.concat([decipher.update(chunk.subarray(0, at)), decipher.final()])
    } catch {
      throw damaged()
    }
  }
  for await (const piece of sealed) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    if (!opened) {
      const end = headerEnd(rest)
      if (end < 0) continue
      opened = await openHeader(rest.subarray(0, end), passphrase)
      rest = rest.subarray(end)
    }
    while (rest.length > chunkBytes + tagBytes) {
      yield decrypted(rest.subarray(0, chunkBytes + tagBytes), false)
      rest = rest.subarray(chunkBytes + tagBytes)
    }
  }
  if (!opened) throw damaged()
  yield decrypted(rest, true)
}

/** Where the header ends; -1 while it is not all there. @throws Unsealable when there can be none. */
function headerEnd(start: Buffer): number {
  const known = Math.min(start.length, magic.length)
  if (start.subarray(0, known).toString('latin1') !== magic.slice(0, known))
    throw new Unsealable('This is not a backup that this version can read')
  const end = start.indexOf('\n', magic.length)
  if (end < 0 && start.length > headerMax) throw damaged()
  return end < 0 ? -1 : end + 1
}

async function openHeader(header: Buffer, passphrase: string): Promise<{ keys: Keys; context: Buffer }> {
  let salt: Buffer, check: Buffer
  try {
    const read = Header.parse(JSON.parse(header.subarray(magic.length).toString()))
    salt = Buffer.from(read.salt, 'base64url')
    check = Buffer.from(read.check, 'base64url')
  } catch {
    throw damaged()
  }
  const keys = await keysOf(passphrase, salt)
  const expected = createHmac('sha256', keys.authenticate).update(magic).update(salt).digest()
  if (check.length !== expected.length || !timingSafeEqual(check, expected)) throw wrongPassphrase()
  return { keys, context: createHash('sha256').update(header).digest() }
}
