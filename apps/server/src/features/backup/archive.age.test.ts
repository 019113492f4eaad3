import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from './archive.age.ts'
import { Unsealable } from './archive.errors.ts'

const passphrase = 'a long passphrase'
async function* pieces(bytes: Buffer, size = 70_001) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const all = async (source: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(source))
const encrypted = (plain: Buffer, given = passphrase) => all(encrypt(pieces(plain), given, 10))
const decrypted = (bytes: Buffer, given = passphrase) => all(decrypt(pieces(bytes), given))
const chunk = 64 * 1024
const full = chunk + 16

test.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk])(
  'what was encrypted comes out again: %i bytes',
  async (size) => {
    const plain = randomBytes(size)
    expect((await decrypted(await encrypted(plain))).equals(plain)).toBe(true)
  },
)

test('a wrong passphrase is refused, and one typed with combining accents is the same', async () => {
  const bytes = await encrypted(Buffer.from('secret'), 'größer als alles'.normalize('NFD'))
  expect(bytes.includes('secret')).toBe(false)
  expect((await decrypted(bytes, 'größer als alles')).toString()).toBe('secret')
  await expect(decrypted(bytes)).rejects.toThrow('The passphrase is not the one of this backup')
})

test('a file that is cut off anywhere, longer, changed in one bit or put together anew is refused', async () => {
  const bytes = await encrypted(randomBytes(2 * chunk + 100))
  const header = bytes.indexOf('\n', bytes.indexOf('\n--- ') + 1) + 1
  const payload = header + 16
  for (const end of [
    0,
    5,
    header - 1,
    header,
    payload - 1,
    payload,
    payload + full,
    payload + 2 * full,
    bytes.length - 1,
  ])
    await expect(decrypted(bytes.subarray(0, end))).rejects.toThrow(Unsealable)
  await expect(decrypted(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow(Unsealable)
  for (const at of [3, 40, header - 10, header + 1, payload + full + 7, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(decrypted(changed)).rejects.toThrow(Unsealable)
  }
  const [first, second] = [bytes.subarray(payload, payload + full), bytes.subarray(payload + full, payload + 2 * full)]
  const swapped = Buffer.concat([bytes.subarray(0, payload), second, first, bytes.subarray(payload + 2 * full)])
  await expect(decrypted(swapped)).rejects.toThrow('The file is damaged or incomplete')
})

test('a guess at the passphrase costs 2^17 rounds of scrypt, and a file that asks for far more is not tried', async () => {
  const bytes = await all(encrypt(pieces(Buffer.from('secret')), passphrase))
  expect(bytes.toString('latin1')).toMatch(/^age-encryption\.org\/v1\n-> scrypt \S+ 17\n/)
  const greedy = Buffer.from(bytes.toString('latin1').replace(' 17\n', ' 30\n'), 'latin1')
  await expect(decrypted(greedy)).rejects.toThrow('The file is damaged or incomplete')
})
