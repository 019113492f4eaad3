import { X509Certificate } from 'node:crypto'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { type Certificate, certificateOf, type Certificates } from '../../platform/tls/certificate.ts'
import { makeAuthority, type Pair, type PlatformNames, signCertificate } from './authority.make.ts'
import { findAuthority, keepAuthority } from './authority.store.ts'

const lookEveryMs = 12 * 3_600_000

export interface LocalDependencies {
  database: Database
  vault: Vault
  clock: Clock
  log: Logger
  config: Pick<Config, 'baseUrl' | 'instanceDomain' | 'instancePorts'>
}

/** Ties the key to its place. */
export const authorityContext = 'key of the local authority'

/**
 * Certificates of an authority that belongs to the platform itself. The authority is in the database, for all servers;
 * each server signs a certificate of its own when it starts, and another one in time.
 */
export async function openLocalCertificates(deps: LocalDependencies): Promise<Certificates> {
  const { clock, log, config } = deps
  const names = namesOf(config)
  const authority = await authorityOf(deps, names)
  const { fingerprint256: fingerprint } = new X509Certificate(authority.cert)
  const listeners = new Set<(certificate: Certificate) => void>()
  const sign = async () => {
    const { cert, key } = await signCertificate(authority, names, clock.now())
    return certificateOf(cert, key)
  }
  let certificate = await sign()
  const timer = setInterval(() => void reload(), lookEveryMs).unref()

  async function reload(): Promise<void> {
    const { validFrom, expiresAt } = certificate
    if (expiresAt - clock.now() > (expiresAt - validFrom) / 3) return
    try {
      certificate = await sign()
      for (const listener of listeners) listener(certificate)
    } catch (error) {
      log.error({ err: error }, 'no new certificate was signed')
    }
  }

  return {
    authority: { cert: authority.cert, fingerprint },
    status: () => ({ certificate }),
    reload,
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => clearInterval(timer),
  }
}

const hostnameOf = (host: string) => new URL(`https://${host}`).hostname

const namesOf = ({ baseUrl, instanceDomain, instancePorts }: LocalDependencies['config']): PlatformNames => ({
  console: new URL(baseUrl).hostname,
  domain: instancePorts ? undefined : hostnameOf(instanceDomain),
})

/** The one in the database. It is good for its names alone, so that other names need another one. */
async function authorityOf({ database, vault, clock, log }: LocalDependencies, names: PlatformNames): Promise<Pair> {
  const wanted = JSON.stringify([names.console, names.domain])
  const found = await findAuthority(database.read)
  const open = ({ certificate, key_sealed }: { certificate: string; key_sealed: string }): Pair => ({
    cert: certificate,
    key: vault.open(key_sealed, authorityContext),
  })
  if (found?.names === wanted) return open(found)
  const now = clock.now()
  const made = await makeAuthority(names, now)
  const row = {
    names: wanted,
    certificate: made.cert,
    key_sealed: vault.seal(made.key, authorityContext),
    created_at: now,
  }
  const kept = await database.transact((tx) => keepAuthority(tx, row, found?.names))
  if (found) log.warn('made a new certificate authority, because the names of the platform have changed')
  return open(kept)
}
