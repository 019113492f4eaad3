import type { Config } from '../../config.ts'
import { namesToTry } from '../../config.names.ts'
import { adminCommand } from '../../program.ts'
import {
  type DriverName,
  type MailSettings,
  type PlatformSettings,
  type SettingsPatch,
  stackPropertyFields,
  type StoredSettings,
  type Switches,
} from '@app/contract'
import type { Actor, UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import type { Certificates } from '../../platform/tls/certificate.ts'
import { type Audit, changes, platformScope } from '../audit/index.ts'
import { cleanBanner } from './banner.ts'
import { licenceSummary } from './licence.ts'
import { judgeChange, mayReport } from './settings.rules.ts'
import { platformIdOf, readSettings, writeSettings } from './settings.store.ts'

export interface Settings {
  /** All settings; `db` inside a transaction, which the embedded database answers alone. */
  all(db?: Db): Promise<StoredSettings>
  /** The settings this caller may read (docs/specification/platform-settings.md). */
  visibleTo(actor: Actor): Promise<PlatformSettings>
  set<K extends keyof StoredSettings>(tx: Tx, key: K, value: StoredSettings[K]): Promise<void>
  /** Changes what administrators may change; one entry in the log, with old and new values. */
  update(actor: Actor, patch: SettingsPatch): Promise<void>
}

export interface SettingsDependencies {
  database: Database
  clock: Clock
  audit: Audit
  baseUrl: string
  version: string
  /** Mail settings; false when mail cannot go out. */
  mail(): false | MailSettings
  /** The capabilities the driver lacks here, a sentence each. */
  gaps: readonly string[]
  /** The drivers that start instances, the usual one first. */
  offers: readonly DriverName[]
  features: Switches
  /** Why no server runs the instances, if none does. */
  host: { away(): Promise<string | undefined> }
  config: Config
  certificates: Pick<Certificates, 'authority'> | undefined
  /** The providers that people choose on the login page. */
  ssoChoices: { active(): Promise<{ id: string; name: string }[]> }
}

/** Platform settings: read from the database each time, since another server process may have changed them. */
export function createSettings({
  database,
  clock,
  audit,
  baseUrl,
  version,
  mail,
  gaps,
  offers,
  features,
  host,
  config,
  certificates,
  ssoChoices,
}: SettingsDependencies): Settings {
  const all = (db: Db = database.read) => readSettings(db)
  const authority = certificates?.authority
  const instances = namesToTry(config)

  /** Without mail, settings that need it read as off for everybody else; administrators see the stored values. */
  function byMail(stored: StoredSettings, raw: boolean) {
    const on = (key: 'user:signup' | 'user:reset-password') => stored[key] && (raw || mail() !== false)
    return { 'user:signup': on('user:signup'), 'user:reset-password': on('user:reset-password') }
  }

  async function banners(stored: StoredSettings) {
    const keys = ['branding:account:signUpTopBanner', 'branding:account:signUpLeftBanner'] as const
    const clean = await Promise.all(keys.map(async (key) => [key, await cleanBanner(stored[key])] as const))
    return Object.fromEntries(clean.filter(([, html]) => html !== undefined))
  }

  const isSsoOn = (stored: StoredSettings) => features.sso && stored['user:sso']

  const forUsers = (stored: StoredSettings) => ({
    base_url: baseUrl,
    email: mail() !== false,
    'driver:gaps': [...gaps],
    stacks: { properties: stackPropertyFields },
    'user:team:trial-mode:projectType': stored['user:team:trial-mode:projectType'],
    'team:user:invite:external': stored['team:user:invite:external'] && mail() !== false,
  })

  async function away() {
    const text = await host.away()
    return text === undefined ? {} : { 'instances:away': text }
  }

  /** A token opens what its scopes say and no more: settings beyond the public ones to those who change them. */
  const maySee = ({ via }: UserActor): boolean => 'session' in via || via.scopes.includes('settings:edit')

  const forAdministrators = async (stored: StoredSettings) => ({
    'platform:id': stored['platform:id'] ?? (await platformIdOf(database)),
    email: mail(),
    'user:team:auto-create': stored['user:team:auto-create'],
    'user:team:trial-mode': stored['user:team:trial-mode'],
    'user:team:trial-mode:duration': stored['user:team:trial-mode:duration'],
    'user:mfa-required': stored['user:mfa-required'],
    'user:sso': stored['user:sso'],
    'team:application-roles': stored['team:application-roles'],
    'audit:retention-days': stored['audit:retention-days'],
    'platform:stats:token': stored['platform:stats:token'],
    'telemetry:enabled': mayReport(stored),
    ...(config.telemetryUrl && { 'telemetry:url': config.telemetryUrl }),
    ...(offers.length > 1 && { 'driver:offers': [...offers] }),
    'platform:licensed': stored.license !== null,
    'version:forge': version,
    'version:node': process.version,
    'command:admin': adminCommand,
  })

  return {
    all,
    set: (tx, key, value) => writeSettings(tx, { [key]: value }),
    async update(actor, patch) {
      const stored = await all()
      const change = judgeChange(patch, stored, { mail: mail() !== false, now: clock.now() })
      const updates = changes(stored, change)
      if (updates.length === 0) return
      await database.transact(async (tx) => {
        await writeSettings(tx, change)
        await audit.record(tx, actor, 'platform.settings.updated', platformScope, { updates })
      })
    },
    async visibleTo(actor) {
      const stored = await all()
      const person = actor.kind === 'user' && maySee(actor)
      const admin = person && actor.admin
      return {
        ...byMail(stored, admin),
        'user:tcs-required': stored['user:tcs-required'],
        'user:tcs-url': stored['user:tcs-url'],
        'user:tcs-date': stored['user:tcs-date'],
        'team:create': stored['team:create'],
        ...(await banners(stored)),
        license: licenceSummary(stored.license, clock.now()),
        features: {
          ...features,
          sso: isSsoOn(stored),
          applicationRoles: features.applicationRoles && stored['team:application-roles'],
        },
        ...(isSsoOn(stored) && { 'sso:providers': await ssoChoices.active() }),
        analytics: { enabled: config.analytics !== undefined, ...config.analytics },
        ...(config.documentationUrl && { documentation_url: config.documentationUrl }),
        setup: !stored['setup:initialised'],
        ...(instances && !stored['setup:initialised'] && { 'setup:instances': instances }),
        ...(authority && { 'tls:authority': { fingerprint: authority.fingerprint } }),
        ...(person ? { ...forUsers(stored), ...(await away()) } : {}),
        ...(admin ? await forAdministrators(stored) : {}),
      }
    },
  }
}
