import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { seal, unseal, Unsealable } from './sealed.ts'

const pass = 'a long passphrase'
async function* pieces(bytes: Buffer, size = 70_001) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const all = async (source: AsyncIterable<Buffer>) => {
  const parts: Buffer[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
const sealed = (plain: Buffer) => all(seal(pieces(plain), pass, cost))
const opened = (bytes: Buffer, passphrase = pass) => all(unseal(pieces(bytes), passphrase, cost))
const chunk = 256 * 1024
const cost = 2 ** 10

test.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk])('what was sealed comes out again: %i bytes', async (size) => {
  const plain = randomBytes(size)
  const bytes = await sealed(plain)
  expect((await opened(bytes)).equals(plain)).toBe(true)
})

test('a wrong passphrase, another file, and nothing at all are refused', async () => {
  const bytes = await sealed(Buffer.from('secret'))
  expect(bytes.includes('secret')).toBe(false)
  await expect(opened(bytes, 'another passphrase')).rejects.toThrow('The passphrase is not the one of this backup')
  await expect(opened(Buffer.from('PK\x03\x04 something else entirely'))).rejects.toThrow('This is not a backup')
  await expect(opened(Buffer.alloc(0))).rejects.toThrow(Unsealable)
})

test('a file that is cut off anywhere, longer, changed in one bit or put together anew is refused', async () => {
  const bytes = await sealed(randomBytes(2 * chunk + 100))
  const header = bytes.indexOf('}\n') + 2
  const full = chunk + 16
  for (const end of [5, header - 1, header, header + 15, header + full, header + 2 * full, bytes.length - 1])
    await expect(opened(bytes.subarray(0, end))).rejects.toThrow(Unsealable)
  await expect(opened(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow(Unsealable)
  for (const at of [3, header - 10, header + 1, header + full + 7, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(opened(changed)).rejects.toThrow(Unsealable)
  }
  const [first, second] = [bytes.subarray(header, header + full), bytes.subarray(header + full, header + 2 * full)]
  const swapped = Buffer.concat([bytes.subarray(0, header), second, first, bytes.subarray(header + 2 * full)])
  await expect(opened(swapped)).rejects.toThrow(Unsealable)
})

test('unless told otherwise a guess at the passphrase takes 2^17 rounds of scrypt', async () => {
  const bytes = await all(seal(pieces(Buffer.from('secret')), pass))
  expect((await all(unseal(pieces(bytes), pass, 2 ** 17))).toString()).toBe('secret')
  await expect(opened(bytes)).rejects.toThrow(Unsealable)
})
