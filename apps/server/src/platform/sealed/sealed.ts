import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

const magic = 'FLOWFORGE-SEALED 1\n'
const chunkBytes = 256 * 1024
const tagBytes = 16
const headerMax = 512
const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)
/** The cost of scrypt: 128 MiB and a third of a second for each guess. It belongs to the format; tests take less. */
const usualCost = 2 ** 17

/** A sealed file that is not opened: of another kind, damaged, cut off, or under another passphrase. The message is for people. */
export class Unsealable extends Error {
  override name = 'Unsealable'
}

interface Keys {
  encrypt: Buffer
  authenticate: Buffer
}

async function keysOf(passphrase: string, salt: Buffer, N: number): Promise<Keys> {
  const both = await deriveKey(passphrase.normalize('NFKC'), salt, 64, { N, r: 8, p: 1, maxmem: 256 * 1024 * 1024 })
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
 * Encrypts what passes under a passphrase: scrypt, then AES-256-GCM in chunks, each authenticated in its place, so that
 * a reader may use a chunk before it has the next, and knows when one is missing.
 */
export async function* seal(
  plain: AsyncIterable<Buffer>,
  passphrase: string,
  cost = usualCost,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(32)
  const keys = await keysOf(passphrase, salt, cost)
  const check = createHmac('sha256', keys.authenticate).update(magic).update(salt).digest('base64url')
  const header = Buffer.from(`${magic}${JSON.stringify({ salt: salt.toString('base64url'), check })}\n`)
  const context = createHash('sha256').update(header).digest()
  yield header
  let n = 0
  const encrypted = (chunk: Buffer, last: boolean) => {
    const cipher = createCipheriv('aes-256-gcm', keys.encrypt, nonceOf(n, last)).setAAD(context)
    n += 1
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of plain) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    // One that is exactly full waits: it may be the last.
    while (rest.length > chunkBytes) {
      yield encrypted(rest.subarray(0, chunkBytes), false)
      rest = rest.subarray(chunkBytes)
    }
  }
  yield encrypted(rest, true)
}

/** Decrypts what `seal` made; nothing is passed on that was not authenticated. @throws Unsealable */
export async function* unseal(
  sealed: AsyncIterable<Buffer>,
  passphrase: string,
  cost = usualCost,
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  let opened: { keys: Keys; context: Buffer } | undefined
  let n = 0
  const decrypted = (chunk: Buffer, last: boolean) => {
    const { keys, context } = opened!
    const at = chunk.length - tagBytes
    if (at < 0) throw new Unsealable('The file is damaged or incomplete')
    const decipher = createDecipheriv('aes-256-gcm', keys.encrypt, nonceOf(n, last), { authTagLength: tagBytes })
    decipher.setAAD(context).setAuthTag(chunk.subarray(at))
    n += 1
    try {
      return Buffer.concat([decipher.update(chunk.subarray(0, at)), decipher.final()])
    } catch {
      throw new Unsealable('The file is damaged or incomplete')
    }
  }
  for await (const piece of sealed) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    if (!opened) {
      const end = headerEnd(rest)
      if (end < 0) continue
      opened = await openHeader(rest.subarray(0, end), passphrase, cost)
      rest = rest.subarray(end)
    }
    while (rest.length > chunkBytes + tagBytes) {
      yield decrypted(rest.subarray(0, chunkBytes + tagBytes), false)
      rest = rest.subarray(chunkBytes + tagBytes)
    }
  }
  if (!opened) throw new Unsealable('The file is damaged or incomplete')
  yield decrypted(rest, true)
}

/** Where the header ends; -1 while it is not all there. @throws Unsealable when there can be none. */
function headerEnd(start: Buffer): number {
  const known = Math.min(start.length, magic.length)
  if (start.subarray(0, known).toString('latin1') !== magic.slice(0, known))
    throw new Unsealable('This is not a backup that this version can read')
  const end = start.indexOf('\n', magic.length)
  if (end < 0 && start.length > headerMax) throw new Unsealable('The file is damaged or incomplete')
  return end < 0 ? -1 : end + 1
}

async function openHeader(header: Buffer, passphrase: string, cost: number): Promise<{ keys: Keys; context: Buffer }> {
  let salt: Buffer, check: Buffer
  try {
    const read = JSON.parse(header.subarray(magic.length).toString()) as { salt: string; check: string }
    salt = Buffer.from(read.salt, 'base64url')
    check = Buffer.from(read.check, 'base64url')
  } catch {
    throw new Unsealable('The file is damaged or incomplete')
  }
  const keys = await keysOf(passphrase, salt, cost)
  const expected = createHmac('sha256', keys.authenticate).update(magic).update(salt).digest()
  if (check.length !== expected.length || !timingSafeEqual(check, expected))
    throw new Unsealable('The passphrase is not the one of this backup, or the file is damaged')
  return { keys, context: createHash('sha256').update(header).digest() }
}
