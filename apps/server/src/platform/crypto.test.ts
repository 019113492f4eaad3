import { createCipheriv, randomBytes } from 'node:crypto'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createVault, hashToken, newToken, oneKey, sameSecret } from './crypto.ts'
import { makeKeyFile, readKeyFile } from './keys/key.file.ts'

describe('vault', () => {
  const vault = createVault(oneKey(randomBytes(32)))

  test.each(['', 'a', 'Ölofen „7“ \u0000 🔥', 'x'.repeat(1_000_000)])('opens what it sealed (%#)', (text) => {
    expect(vault.open(vault.seal(text, 'here'), 'here')).toBe(text)
  })

  test('seals the same text differently each time, and shows none of it', () => {
    const sealed = Array.from({ length: 50 }, () => vault.seal('the secret', 'here'))
    expect(new Set(sealed).size).toBe(50)
    expect(sealed.join('')).not.toContain(Buffer.from('the secret').toString('base64url').slice(0, 8))
  })

  test('refuses another place, another key and any altered part', () => {
    const sealed = vault.seal('the secret', 'here')
    expect(() => vault.open(sealed, 'there')).toThrow()
    expect(() => createVault(oneKey(randomBytes(32))).open(sealed, 'here')).toThrow()
    const parts = sealed.split('.')
    for (const n of parts.keys()) {
      const altered = parts.with(n, parts[n]!.startsWith('A') ? `B${parts[n]!.slice(1)}` : `A${parts[n]!.slice(1)}`)
      expect(() => vault.open(altered.join('.'), 'here')).toThrow()
      expect(() => vault.open(parts.toSpliced(n, 1).join('.'), 'here')).toThrow()
    }
    const shortened = parts.with(3, Buffer.from(parts[3]!, 'base64url').subarray(0, 4).toString('base64url'))
    expect(() => vault.open(shortened.join('.'), 'here')).toThrow()
    for (const nonsense of ['', '...', 'v1...', 'v2....', 'the secret'])
      expect(() => vault.open(nonsense, 'here')).toThrow()
  })
})

test('tokens are long, random and named by their kind; hashes do not tell them', () => {
  const tokens = Array.from({ length: 1_000 }, () => newToken('fft'))
  expect(new Set(tokens).size).toBe(1_000)
  for (const token of tokens) expect(token).toMatch(/^fft_[\w-]{43}$/)
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('secrets are compared whole, whatever their lengths', () => {
  expect([sameSecret('abc', 'abc'), sameSecret('abc', 'abd'), sameSecret('abc', 'abcd'), sameSecret('', '')]).toEqual([
    true,
    false,
    false,
    true,
  ])
})

test('under the next key a value stays the same, and equal values stay equal', () => {
  const [former, next] = [oneKey(randomBytes(32)), oneKey(randomBytes(32))]
  const vault = createVault({ current: next.current, all: [next.current, former.current] })
  const sealed = createVault(former).seal('the secret', 'here')
  const again = vault.reseal(sealed, 'here')!
  expect([again, vault.reseal(sealed, 'here'), vault.reseal(again, 'here')]).toEqual([again, again, undefined])
  expect([createVault(next).open(again, 'here'), vault.open(sealed, 'here')]).toEqual(['the secret', 'the secret'])
  expect(() => createVault(former).open(again, 'here')).toThrow('a key that this server does not have')
  expect(() => vault.reseal(sealed, 'there')).toThrow()
})

test('a value of before keys had ids is opened', () => {
  const key = Buffer.alloc(32, 7)
  const [iv, body, tag] = (() => {
    const cipher = createCipheriv('aes-256-gcm', key, Buffer.alloc(12, 1)).setAAD(Buffer.from('here'))
    const text = Buffer.concat([cipher.update('the secret', 'utf8'), cipher.final()])
    return [Buffer.alloc(12, 1), text, cipher.getAuthTag()]
  })()
  const old = ['v1', iv, tag, body]
    .map((part) => (typeof part === 'string' ? part : part.toString('base64url')))
    .join('.')
  const other = oneKey(randomBytes(32)).current
  expect(createVault({ current: other, all: [other, oneKey(key).current] }).open(old, 'here')).toBe('the secret')
  expect(() => createVault(oneKey(other.secret)).open(old, 'here')).toThrow()
})

describe('master key', () => {
  let home: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'forge-key-'))
  })
  afterEach(async () => rm(home, { recursive: true, force: true }))
  const file = () => join(home, 'keys', 'master.key')

  test('is made once, whole, for the owner alone, and read again afterwards', async () => {
    const key = makeKeyFile(home)
    expect(key).toHaveLength(32)
    expect(makeKeyFile(home)).toEqual(key)
    expect([(await stat(join(home, 'keys'))).mode & 0o777, (await stat(file())).mode & 0o777]).toEqual([0o700, 0o600])
    expect(await readdir(join(home, 'keys'))).toEqual(['master.key'])
  })

  test('none is read where there is none, and nothing is written', async () => {
    expect(readKeyFile(home)).toBeUndefined()
    expect(await readdir(home)).toEqual([])
  })

  test('one that was there is never replaced, not even a damaged one', async () => {
    makeKeyFile(home)
    await writeFile(file(), 'damaged')
    expect(() => makeKeyFile(home)).toThrow('damaged')
    expect(await readFile(file(), 'utf8')).toBe('damaged')
  })

  test('a draft that a killed server left behind is no obstacle', async () => {
    const key = makeKeyFile(home)
    await rm(file())
    await writeFile(`${file()}.${process.pid}`, 'half')
    await chmod(`${file()}.${process.pid}`, 0o600)
    const made = makeKeyFile(home)
    expect(made).toHaveLength(32)
    expect(made).not.toEqual(key)
    expect(await readdir(join(home, 'keys'))).toEqual(['master.key'])
  })
})
