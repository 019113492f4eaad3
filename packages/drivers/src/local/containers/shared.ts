import { createHash } from 'node:crypto'
import { DriverError } from '../../driver.ts'
import { partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { readInfo } from '../control/control.client.ts'
import type { Account, InstanceRecord } from '../record.store.ts'

/** By these an engine tells whose a container is. */
export const labels = { home: 'flowforge.home', process: 'flowforge.process', launch: 'flowforge.launch' }
/** A container that nobody has noted for so long was left by a platform that ended while it made it. */
export const forgottenSeconds = 60

/** Tells the containers of one home from those of others that use the same engine. */
export const familyOf = ({ home }: Pick<Config, 'home'>): string =>
  createHash('sha256').update(home).digest('hex').slice(0, 12)

/** The user as whom a container runs. @throws DriverError where that would be root. */
export function userFor(confinement: Confinement, account: Account | undefined): Account {
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  if (account || own.uid !== 0) return account ?? own
  const [why = 'No users are set aside for instances.'] = confinement.capabilities.gaps
  throw new DriverError('no_account', `Instances in containers do not run as root. ${why}`)
}

/** Does the process answer that has the token of this record? */
export async function knowsToken(record: InstanceRecord): Promise<boolean> {
  try {
    return (await readInfo(record)).id === partsOf(record.id).id
  } catch {
    return false
  }
}

/**
 * For what is asked about a container that is known to be gone. An engine that is away just then keeps nobody from going
 * on: what is left is removed with the next start or the next platform.
 */
export const quietly = <T>(work: Promise<T>): Promise<T | undefined> => work.catch(() => undefined)
