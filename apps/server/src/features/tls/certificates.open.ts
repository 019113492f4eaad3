import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Certificates } from '../../platform/tls/certificate.ts'
import { openAcmeCertificates } from './acme.certificates.ts'
import { openLocalCertificates } from './authority.service.ts'

interface OpenDependencies {
  database: Database
  vault: Vault
  clock: Clock
  bus: Bus
  log: Logger
  config: Config
}

/** The certificates that are in the database; undefined where they are in files, or there are none. */
export async function openOwnCertificates(deps: OpenDependencies): Promise<Certificates | undefined> {
  const source = deps.config.tls?.source
  if (source?.kind === 'local') return openLocalCertificates(deps)
  if (source?.kind === 'acme') return openAcmeCertificates({ ...deps, acme: source })
  return undefined
}
