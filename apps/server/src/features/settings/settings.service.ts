import type { PlatformSettings, StoredSettings } from '@app/contract'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { readSettings, writeSetting } from './settings.store.ts'

export interface Settings {
  all(): Promise<StoredSettings>
  /** What this caller may read (decisions, appendix 6). */
  visibleTo(actor: Actor): Promise<PlatformSettings>
  set<K extends keyof StoredSettings>(tx: Tx, key: K, value: StoredSettings[K]): Promise<void>
}

/** Platform settings: read from the database each time, since another server process may have changed them. */
export function createSettings(deps: {
  database: Database
  baseUrl: string
  version: string
  /** What the driver cannot do here. */
  gaps: readonly string[]
}): Settings {
  const all = () => readSettings(deps.database.read)
  return {
    all,
    set: writeSetting,
    async visibleTo(actor) {
      const stored = await all()
      return {
        'user:signup': stored['user:signup'],
        'user:reset-password': stored['user:reset-password'],
        'user:tcs-required': stored['user:tcs-required'],
        'user:tcs-url': stored['user:tcs-url'],
        'user:tcs-date': stored['user:tcs-date'],
        'team:create': stored['team:create'],
        features: {},
        analytics: { enabled: false },
        setup: !stored['setup:initialised'],
        ...(actor.kind === 'user' ? { base_url: deps.baseUrl, email: false, 'driver:gaps': [...deps.gaps] } : {}),
        ...(actor.kind === 'user' && actor.admin
          ? { 'version:forge': deps.version, 'version:node': process.version }
          : {}),
      }
    },
  }
}
