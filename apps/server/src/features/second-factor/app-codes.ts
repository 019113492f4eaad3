import { Secret, TOTP } from 'otpauth'

/** RFC 6238 as every authenticator app knows it: SHA-1, six digits, a new code every 30 seconds. */
const period = 30
/** Clocks of phones are off by some seconds, and people type slowly: one code earlier or later counts. */
const window = 1

/** A new secret of 160 bits, base32. */
export function newSecret(): string {
  return new Secret({ size: 20 }).base32
}

/** The address that an app reads from the picture. */
export function appUri(secret: string, username: string): string {
  return new TOTP({ issuer: 'FlowForge', label: username, secret: Secret.fromBase32(secret), period }).toString()
}

/** The 30 seconds, counted from the epoch, whose code this is; undefined when it is none of the time at hand. */
export function stepOf(secret: string, code: string, now: number): number | undefined {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period })
  const delta = totp.validate({ token: code, timestamp: now, window })
  return delta === null ? undefined : Math.floor(now / 1000 / period) + delta
}
