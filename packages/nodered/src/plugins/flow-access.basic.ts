import { createHash, timingSafeEqual } from 'node:crypto'
import type { FlowAccess } from './flow-access.ts'

/** Does a password belong to a bcrypt hash? */
export type ComparePassword = (password: string, hash: string) => Promise<boolean>

const digest = (text: string) => createHash('sha256').update(text).digest()

/** One user name and password for all (RFC 7617). */
export function createBasicAccess(options: { user: string; hash: string; compare: ComparePassword }): FlowAccess {
  const { user, hash, compare } = options
  /** The header that was right: the hash is slow on purpose, and each request brings it again. */
  let known: Buffer | undefined
  return {
    async allows({ headers: { authorization = '' } }) {
      const given = digest(authorization)
      if (known && timingSafeEqual(given, known)) return true
      const [scheme = '', encoded = ''] = authorization.split(' ')
      if (scheme.toLowerCase() !== 'basic' || user === '' || hash === '') return false
      const text = Buffer.from(encoded, 'base64').toString('utf8')
      const colon = text.indexOf(':')
      const right = await compare(text.slice(colon + 1), hash)
      const allowed = colon > 0 && timingSafeEqual(digest(text.slice(0, colon)), digest(user)) && right
      if (allowed) known = given
      return allowed
    },
    refuse(_request, response) {
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="Node-RED", charset="UTF-8"', 'content-type': 'text/plain' })
        .end('Unauthorized\n')
    },
  }
}
