import { randomBytes } from 'node:crypto'

/** Browser features the console never uses, forbidden so that injected code cannot use them either. */
const permissionsPolicy = (
  'accelerometer autoplay camera display-capture encrypted-media fullscreen geolocation gyroscope hid magnetometer ' +
  'microphone midi payment picture-in-picture screen-wake-lock serial usb web-share xr-spatial-tracking'
)
  .split(' ')
  .map((name) => `${name}=()`)
  .join(', ')

/** For which hosts browsers insist on TLS from now on: that of the console, also those below it, or none. */
export type StrictTransport = 'host' | 'below' | 'off'

/** Browsers reach the host of such an answer by TLS alone, for a year. */
export const strictHost = { 'strict-transport-security': 'max-age=31536000' }

const strict: Record<StrictTransport, Record<string, string>> = {
  host: strictHost,
  below: { 'strict-transport-security': 'max-age=31536000; includeSubDomains' },
  off: {},
}

/** Sent with every answer of the console's host. */
export function securityHeaders({ strictTransport }: { strictTransport: StrictTransport }): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': permissionsPolicy,
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    ...strict[strictTransport],
  }
}

/**
 * A nonce and the policy of a page that carries it: no inline code or style without it.
 * @param connects addresses elsewhere that its code may ask.
 */
export function pagePolicy(connects: readonly string[] = []): { nonce: string; policy: string } {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    ...(connects.length > 0 ? [["connect-src 'self'", ...connects].join(' ')] : []),
    "img-src 'self' data:",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ')
  return { nonce, policy }
}

/** Only what has a hash in its name stays the same for ever; the rest is asked for again after an upgrade. */
export const lifetimeOf = (path: string): string =>
  /[\\/]assets[\\/][^\\/]+$/.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
