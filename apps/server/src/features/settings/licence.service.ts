import type { Licence, StoredLicence } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { type Audit, platformScope } from '../audit/index.ts'
import { judgeLicence, LicenceFault, publicKeys, readLicence } from './licence.file.ts'
import { platformIdOf, readSettings, writeSettings } from './settings.store.ts'
import { vendorKeys } from './vendor.keys.ts'

export interface Licences {
  /** The licence in force, also when it has expired; undefined without one. */
  get(): Promise<Licence | undefined>
  /**
   * Tells what a licence says, and puts it in force with `apply`; either is an entry in the log.
   * @throws Failure invalid_license_action, and invalid_license with the reason.
   */
  update(actor: Actor, text: string, action: string): Promise<Licence>
  /** The id of this installation, which a licence may be bound to. */
  platformId(): Promise<string>
}

export interface LicenceDependencies {
  database: Database
  clock: Clock
  audit: Audit
  config: { licenceKeys?: readonly string[] }
}

/** Licences, signed by the vendor of the platform. Nothing is limited without one. */
export function createLicences({ database, clock, audit, config }: LicenceDependencies): Licences {
  const keys = publicKeys([...vendorKeys, ...(config.licenceKeys ?? [])])

  /** A text that holds here and now; why it does not is recorded, for an attempt is worth knowing of. */
  async function judged(actor: Actor, text: string, action: 'inspect' | 'apply'): Promise<StoredLicence> {
    try {
      const licence = readLicence(text, keys)
      judgeLicence(licence, await platformIdOf(database), clock.now())
      return licence
    } catch (error) {
      if (!(error instanceof LicenceFault)) throw error
      const body = {
        license: { key: `${text.slice(0, 40)}…` },
        error: { code: 'invalid_license', message: error.message },
      }
      await database.transact((tx) => audit.record(tx, actor, eventOf[action], platformScope, body))
      throw fail('invalid_license', error.message, { field: 'license' })
    }
  }

  return {
    platformId: () => platformIdOf(database),
    async get() {
      const { license } = await readSettings(database.read)
      return license?.text === undefined ? undefined : licenceView(license, clock.now())
    },
    async update(actor, text, action) {
      if (action !== 'inspect' && action !== 'apply') throw fail('invalid_license_action')
      const licence = await judged(actor, text, action)
      const shown = licenceView(licence, clock.now())
      await database.transact(async (tx) => {
        if (action === 'apply') await writeSettings(tx, { license: licence })
        await audit.record(tx, actor, eventOf[action], platformScope, { license: shown })
      })
      return shown
    },
  }
}

const eventOf = { inspect: 'platform.license.inspected', apply: 'platform.license.applied' } as const

function licenceView(licence: StoredLicence, now: number): Licence {
  const expiresAt = iso(licence.expiresAt)
  const { users = null, teams = null, projects = null, devices = null } = licence.limits ?? {}
  return {
    id: licence.id ?? '',
    organisation: licence.organisation ?? '',
    tier: licence.tier ?? '',
    validFrom: iso(licence.validFrom ?? 0),
    expiresAt,
    expires: expiresAt,
    expired: licence.expiresAt <= now,
    ...(licence.type === 'DEV' ? { dev: true } : {}),
    ...(licence.note === undefined ? {} : { note: licence.note }),
    ...(licence.platform === undefined ? {} : { platform: licence.platform }),
    users,
    teams,
    projects,
    devices,
  }
}
