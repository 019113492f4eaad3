import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Tx } from '../../../platform/db/tables.ts'
import type { Mail } from '../../mail/index.ts'
import type { SsoDomains } from '../domains.service.ts'
import { listActiveProviders, lockProvider, type ProviderRow } from '../sso.store.ts'
import { optionsOf } from '../sso.view.ts'
import { expiringOf, type SigningCertificate } from './saml.expiry.ts'
import { letters } from './saml.mails.ts'
import { insertNotice, listAdministrators, listNotices } from './saml.notices.store.ts'

export interface SamlWatchDependencies {
  database: Database
  clock: Clock
  log: Logger
  mail: Pick<Mail, 'configured' | 'send'>
  ssoDomains: Pick<SsoDomains, 'isOn'>
  baseUrl: string
}

const everyMs = 15 * 60_000

export type SamlWatch = ReturnType<typeof createSamlWatch>

/** Tells administrators by mail of certificates of active SAML providers that expire soon, once of each. */
export function createSamlWatch({ database, clock, log, mail, ssoDomains, baseUrl }: SamlWatchDependencies) {
  let timer: NodeJS.Timeout | undefined

  /** The certificate to tell of; undefined for a provider through which nobody signs in. */
  const dueOf = (row: ProviderRow): SigningCertificate | undefined =>
    row.type === 'saml' && row.active === 1 ? expiringOf(optionsOf(row), clock.now()) : undefined

  /** Judges the provider again, whose row nobody else changes meanwhile. */
  async function tell(tx: Tx, providerId: string): Promise<void> {
    const row = await lockProvider(tx, providerId, database.kind === 'postgres')
    const due = row && dueOf(row)
    if (!due) return
    const [now, { fingerprint, expiresAt }] = [clock.now(), due]
    if (!(await insertNotice(tx, { provider_id: row.id, fingerprint, created_at: now }))) return
    const url = `${baseUrl}/admin/settings/sso/${row.id}`
    for (const person of await listAdministrators(tx))
      await mail.send(tx, letters.certificateExpires(person, row.name, expiresAt, expiresAt - now, url))
  }

  /** One look. A mail that cannot be sent yet is not recorded, so it is sent once mail is configured. */
  async function check(): Promise<void> {
    if (!mail.configured || !(await ssoDomains.isOn())) return
    const due = (await listActiveProviders(database.read)).flatMap((row) => {
      const certificate = dueOf(row)
      return certificate ? [{ id: row.id, key: `${row.id} ${certificate.fingerprint}` }] : []
    })
    if (due.length === 0) return
    const told = await listNotices(database.read)
    for (const { id, key } of due) if (!told.has(key)) await database.transact((tx) => tell(tx, id))
  }

  return {
    check,
    start(): void {
      timer = setInterval(() => {
        check().catch((error: unknown) => log.warn({ err: error }, 'certificates of providers not looked at'))
      }, everyMs).unref()
    },
    stop: (): void => clearInterval(timer),
  }
}
