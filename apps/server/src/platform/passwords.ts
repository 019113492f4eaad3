import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 }

/**
 * One hash at a time: it runs off the event loop, and a second core stays free for everyone who is
 * already signed in. The others wait their turn in order.
 */
let tail: Promise<unknown> = Promise.resolve()
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = tail.then(work, work)
  tail = mine.catch(() => undefined)
  return mine
}

async function digest(password: string, nonce: Buffer): Promise<Buffer> {
  return inTurn(() => derive('argon2id', { message: Buffer.from(password), nonce, ...cost }))
}

/** argon2id, 19 MiB, 2 passes, 1 lane: `argon2id$<salt>$<tag>`, base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  return ['argon2id', salt.toString('base64url'), (await digest(password, salt)).toString('base64url')].join('$')
}

const nobody = `argon2id$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(32).toString('base64url')}`

/** Is this the password? Takes as long for a user that does not exist (`undefined`), and is then false. */
export async function checkPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, salt = '', tag = ''] = (stored ?? nobody).split('$')
  const expected = Buffer.from(tag, 'base64url')
  const actual = await digest(password, Buffer.from(salt, 'base64url'))
  return stored !== undefined && expected.length === actual.length && timingSafeEqual(expected, actual)
}
