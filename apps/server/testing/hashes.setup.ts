import crypto, { type Argon2Parameters, type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { hashing } from './hashes.ts'

/*
 * What makes guessing dear takes next to nothing here: at their true cost, the passwords and passphrases of these tests
 * are a tenth of the work of a run. The parameters themselves are shown where they stand, in tests that this is not
 * loaded for.
 */
const { argon2, scrypt } = crypto

function cheapArgon2(name: 'argon2id', given: Argon2Parameters, done: (error: Error | null, hash: Buffer) => void) {
  const cheap = () => argon2(name, { ...given, memory: 8, passes: 1 }, done)
  // The same hash in either case, since whoever checks a password does not know how it was made.
  if (hashing.isTrue) argon2(name, given, done)
  else if (hashing.isSlow) argon2(name, given, cheap)
  else cheap()
}

function cheapScrypt(
  password: string,
  salt: Buffer,
  length: number,
  given: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
) {
  scrypt(password, salt, length, hashing.isTrue ? given : { ...given, N: 16 }, done)
}

// The files of a worker share its modules.
if (argon2.name !== cheapArgon2.name) {
  Object.assign(crypto, { argon2: cheapArgon2, scrypt: cheapScrypt })
  syncBuiltinESMExports()
}
