import { createHash, timingSafeEqual } from 'node:crypto'
import type { ComparePassword } from './flow-access.basic.ts'

const digest = (text: string) => createHash('sha256').update(text).digest()

interface Local {
  user: string
  /** The hash of the password, by bcrypt. */
  hash: string
}

/**
 * The sign-in to the editor of a device. Its agent comes by the token of this process: people sign in at the platform,
 * which lets them through the tunnel of the agent. Behind a dot of the token may stand what shows the platform who it is,
 * for the audit log. `local`: who may sign in on the device itself.
 */
export function deviceAuth(token: string, local: Local | undefined, compare: ComparePassword): object {
  const expected = digest(token)
  const find = (name: string) => (name === local?.user ? { username: name, permissions: '*', localUser: name } : null)
  return {
    type: 'credentials',
    users: async (name: string) => find(name),
    authenticate: async (name: string, password: string) =>
      local !== undefined && (await compare(password, local.hash)) ? find(name) : null,
    tokens: async (given: string) => {
      const [own = '', ...rest] = given.split('.')
      if (!timingSafeEqual(digest(own), expected)) return null
      return { username: 'forge', permissions: '*', ...(rest.length > 0 && { editorToken: rest.join('.') }) }
    },
  }
}
