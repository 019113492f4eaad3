import type { TokenPrefix } from '@app/contract'
import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const prefix = `${'ffpat' satisfies TokenPrefix}_`
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43
const checkLength = 6

/** CRC-32 in base 62: a scanner that finds a token in a leak can tell that it is one without asking us. */
function checkOf(text: string): string {
  let rest = crc32(text)
  let check = ''
  for (let i = 0; i < checkLength; i++) {
    check = alphabet[rest % 62] + check
    rest = Math.floor(rest / 62)
  }
  return check
}

/** A new personal token: `ffpat_`, 43 letters and digits of chance (256 bits), 6 of checksum. */
export function newPersonalToken(): string {
  const secret = Array.from({ length: secretLength }, () => alphabet[randomInt(62)]).join('')
  return prefix + secret + checkOf(prefix + secret)
}

/** Does it look like a personal token? */
export const isPersonal = (token: string): boolean => token.startsWith(prefix)

/** Is its checksum right? A mistyped or cut token is refused without asking the database. */
export function isWhole(token: string): boolean {
  const secret = token.slice(0, -checkLength)
  return token.length === prefix.length + secretLength + checkLength && token === secret + checkOf(secret)
}
