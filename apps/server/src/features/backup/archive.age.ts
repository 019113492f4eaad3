import type { Identity, Recipient } from 'age-encryption'
import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { damaged, Unsealable, wrongPassphrase } from './archive.errors.ts'
import { decryptPayload } from './archive.age.payload.ts'

/** The library, loaded by the first backup that is made or read. */
const ageLibrary = () => import('age-encryption')

const deriveKey = promisify<string, Buffer, number, object, Buffer>(scrypt)
const label = 'age-encryption.org/v1/scrypt'
const tagBytes = 16
/** A power of two: 128 MiB and a third of a second for each guess at the passphrase. */
const usualWork = 17
/** 1 GiB. A file that asks for more is not one of ours, and `age` itself makes them with 18. */
const mostWork = 20

export const ageMagic = 'age-encryption.org/v1\n'
/** A header of age is shorter, so that no file makes the reader look for its end for ever. */
export const headerMax = 4_096

/** As a keyboard types it, so that the program `age` gets the same bytes as the browser. */
const typed = (passphrase: string) => passphrase.normalize('NFC')

function wrappingKey(passphrase: string, salt: Buffer, work: number): Promise<Buffer> {
  const cost = { N: 2 ** work, r: 8, p: 1, maxmem: 2 ** (work + 11) }
  return deriveKey(typed(passphrase), Buffer.concat([Buffer.from(label), salt]), 32, cost)
}

/**
 * The passphrase recipient of age, with the scrypt of Node.js: that of the library computes for a second on the thread
 * that answers requests.
 */
const recipientOf = (passphrase: string, work: number): Recipient => ({
  async wrapFileKey(fileKey) {
    const salt = randomBytes(16)
    const key = await wrappingKey(passphrase, salt, work)
    const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: tagBytes })
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
    const { Stanza } = await ageLibrary()
    return [new Stanza(['scrypt', salt.toString('base64').replaceAll('=', ''), String(work)], body)]
  },
})

const identityOf = (passphrase: string): Identity => ({
  async unwrapFileKey(stanzas) {
    const [name, salt = '', given = ''] = stanzas[0]?.args ?? []
    const body = Buffer.from(stanzas[0]?.body ?? [])
    const work = /^[1-9]\d?$/.test(given) ? Number(given) : mostWork + 1
    if (stanzas.length !== 1 || name !== 'scrypt' || body.length !== 16 + tagBytes || work > mostWork) throw damaged()
    const key = await wrappingKey(passphrase, Buffer.from(salt, 'base64'), work)
    const decipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: tagBytes })
    decipher.setAuthTag(body.subarray(16))
    try {
      return Buffer.concat([decipher.update(body.subarray(0, 16)), decipher.final()])
    } catch {
      throw wrongPassphrase()
    }
  },
})

/** Encrypts a stream under a passphrase into the format of age. `work` is lower in tests. */
export async function* encrypt(
  plain: AsyncIterable<Uint8Array>,
  passphrase: string,
  work = usualWork,
): AsyncGenerator<Uint8Array> {
  const { Encrypter } = await ageLibrary()
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipientOf(passphrase, work))
  yield* await encrypter.encrypt(ReadableStream.from(plain))
}

/** Decrypts a file of age. Nothing is passed on that was not authenticated. @throws Unsealable */
export async function* decrypt(file: AsyncIterable<Uint8Array>, passphrase: string): AsyncGenerator<Uint8Array> {
  const { Decrypter } = await ageLibrary()
  const decrypter = new Decrypter()
  decrypter.addIdentity(identityOf(passphrase))
  const pieces = file[Symbol.asyncIterator]()
  const { header, rest } = await headerOf(pieces)
  const fileKey = await decrypter.decryptHeader(header).catch((error: unknown) => {
    // The library throws plain errors.
    throw error instanceof Unsealable ? error : damaged()
  })
  yield* decryptPayload(following(rest, pieces), fileKey)
}

/** The header of a file, whose last line is its MAC, and what was read beyond it. */
async function headerOf(pieces: AsyncIterator<Uint8Array>): Promise<{ header: Buffer; rest: Buffer }> {
  for (let start = Buffer.alloc(0); start.length <= headerMax; ) {
    const { done, value } = await pieces.next()
    if (done) break
    start = Buffer.concat([start, value])
    const mac = start.indexOf('\n--- ')
    const end = mac < 0 ? 0 : start.indexOf('\n', mac + 1) + 1
    if (end > 0) return { header: start.subarray(0, end), rest: start.subarray(end) }
  }
  throw damaged()
}

async function* following(first: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  yield first
  for (let piece = await pieces.next(); !piece.done; piece = await pieces.next())
    yield Buffer.from(piece.value.buffer, piece.value.byteOffset, piece.value.byteLength)
}
