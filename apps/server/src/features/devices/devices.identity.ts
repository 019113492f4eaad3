import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { createPace } from '../../platform/http/pace.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import { findCode, hashOfCode, isCode } from './device-codes.store.ts'
import { findByToken, isRevoked } from './devices.store.ts'
import { findByHash } from './provisioning.store.ts'

/** Tokens and codes that nobody has, from one address in a minute. A misconfigured agent tries once in ten minutes. */
const guesses = { most: 30, windowMs: 60_000 }

export type DeviceIdentity = ReturnType<typeof createDeviceIdentity>

/** The identity of an agent: by the token of its device, by one for provisioning, or by a one-time code. */
export function createDeviceIdentity({ database, clock }: { database: Database; clock: Clock }) {
  const pace = createPace(() => clock.now(), guesses.most, guesses.windowMs)

  /**
   * The right ones are never refused: one machine must not stop the others behind its address.
   * @throws Failure too_many_requests to an address that guesses on.
   */
  async function guarded(address: string, find: () => Promise<Actor | undefined>): Promise<Actor | undefined> {
    const actor = await find()
    if (actor) return actor
    const from = addressGroup(address)
    const seconds = pace.wait(from)
    if (seconds > 0) throw fail('too_many_requests', undefined, { retryAfter: seconds })
    pace.take(from)
    return undefined
  }

  async function byToken(token: string, address: string): Promise<Actor> {
    const hash = hashToken(token)
    const row = await findByToken(database.read, hash)
    // An agent that is told 401 removes its flows: only for a token that was taken from a device.
    if (!row) {
      const unknown = (await isRevoked(database.read, hash)) ? {} : { unknown: 'device' as const }
      return { kind: 'anonymous', address, ...unknown }
    }
    return { kind: 'device', deviceId: row.id, teamId: row.team_id, address }
  }
  async function byProvisioning(token: string, address: string): Promise<Actor | undefined> {
    const row = await findByHash(database.read, hashToken(token), clock.now())
    return row && { kind: 'provisioning', tokenId: row.id, name: row.name, teamId: row.team_id, address }
  }
  async function byCode(bearer: string, address: string): Promise<Actor | undefined> {
    const code = hashOfCode(bearer)
    const row = await findCode(database.read, code, clock.now())
    return row && { kind: 'setup', code, deviceId: row.device_id, teamId: row.team_id, address }
  }

  return {
    /** Undefined for what is none of these; later undefined for one that is of nobody. */
    identify(bearer: string | undefined, address: string): Promise<Actor | undefined> | undefined {
      if (bearer?.startsWith('ffd_')) return byToken(bearer, address)
      if (bearer?.startsWith('ffadp_')) return guarded(address, async () => byProvisioning(bearer, address))
      if (bearer && isCode(bearer)) return guarded(address, async () => byCode(bearer, address))
      return undefined
    },
  }
}
