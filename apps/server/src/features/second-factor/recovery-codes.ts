import { randomBytes } from 'node:crypto'
import { hashToken } from '../../platform/crypto.ts'

/** Without the letters that look like digits, or like each other (Crockford's base32). */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const count = 10

/** Ten codes of 120 bits, in groups that can be read aloud. They are random, so no slow hash is needed. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => {
    const letters = Array.from(randomBytes(24), (byte) => alphabet[byte % 32]).join('')
    return letters.match(/.{6}/g)!.join('-')
  })
}

/** Stored form of a code; blanks, dashes and capitals do not matter, nor an O in the place of a zero. */
export function hashRecoveryCode(code: string): string {
  const letters = code.toLowerCase().replace(/[^a-z0-9]/g, '')
  return hashToken(letters.replaceAll('o', '0').replace(/[il]/g, '1'))
}
