import { createDecipheriv, hkdfSync } from 'node:crypto'
import { damaged } from './archive.errors.ts'

const chunkBytes = 64 * 1024
const tagBytes = 16
const sealedBytes = chunkBytes + tagBytes
const saltBytes = 16

/**
 * Decrypts what follows the header of an age file: a salt, then chunks under a counter, of which the last is flagged. The
 * library does the same in JavaScript for five times the CPU, and a restore reads the file twice.
 * Nothing is passed on that was not authenticated. @throws Unsealable
 */
export async function* decryptPayload(payload: AsyncIterable<Buffer>, fileKey: Uint8Array): AsyncGenerator<Buffer> {
  let [key, rest, chunks]: [Buffer | undefined, Buffer, number] = [undefined, Buffer.alloc(0), 0]
  for await (const piece of payload) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    if (!key && rest.length >= saltBytes) {
      key = Buffer.from(hkdfSync('sha256', fileKey, rest.subarray(0, saltBytes), 'payload', 32))
      rest = rest.subarray(saltBytes)
    }
    // One that ends the bytes which are here may be the last.
    for (; key && rest.length > sealedBytes; rest = rest.subarray(sealedBytes))
      yield openChunk(rest.subarray(0, sealedBytes), key, nonceOf(chunks++))
  }
  if (!key) throw damaged()
  const last = openChunk(rest, key, nonceOf(chunks, true))
  if (last.length === 0 && chunks > 0) throw damaged()
  yield last
}

function nonceOf(chunk: number, isLast = false): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(chunk, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function openChunk(sealed: Buffer, key: Buffer, nonce: Buffer): Buffer {
  if (sealed.length < tagBytes) throw damaged()
  const decipher = createDecipheriv('chacha20-poly1305', key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  try {
    const plain = decipher.update(sealed.subarray(0, -tagBytes))
    decipher.final()
    return plain
  } catch {
    throw damaged()
  }
}
