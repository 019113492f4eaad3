import type { Clock } from '../../platform/clock.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import type { Mail } from '../mail/index.ts'
import { letters } from './account.mails.ts'
import { loginKey, type UserRow } from './account.store.ts'
import { deviceName } from './devices.ts'
import { createLimiter } from './limits.store.ts'
import type { Caller } from './sessions.service.ts'

const day = 24 * 3_600_000
/** Refused sign-ins of a day after which the person is told, once in that day. Everybody mistypes now and then. */
const tellAt = { password: 10, code: 3 }

export type Notices = ReturnType<typeof createNotices>

/** Mail to people about sign-ins to their account that may not be theirs, so seldom that it is read. */
export function createNotices({ mail, clock }: { mail: Mail; clock: Clock }) {
  const refusals = createLimiter(() => clock.now(), day)
  const places = createLimiter(() => clock.now(), 30 * day)

  return {
    /** Counts a refused sign-in. The count is the same work for a name that nobody has. */
    async refused(tx: Tx, kind: 'password' | 'code', user: UserRow | undefined, login: string, address: string) {
      if (!mail.configured) return
      const count = await refusals.count(tx, `refused-${kind}:${user?.id ?? loginKey(login)}`)
      if (!user || count !== tellAt[kind]) return
      const letter = kind === 'password' ? letters.signInsRefused : letters.codesRefused
      await mail.send(tx, letter(user, tellAt[kind], address))
    },

    /** Somebody signed in from a browser that the platform does not know. Told once a month of the same network. */
    async newBrowser(tx: Tx, user: UserRow, { address, userAgent }: Caller): Promise<void> {
      if (!mail.configured) return
      const count = await places.count(tx, `new-browser:${user.id}:${addressGroup(address)}`)
      if (count === 1) await mail.send(tx, letters.newSignIn(user, deviceName(userAgent), address))
    },
  }
}
