import type { Logger } from 'pino'
import type { AcmeConfig } from '../../config.acme.ts'
import type { Config } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { type Certificate, certificateOf, type Certificates } from '../../platform/tls/certificate.ts'
import { makeAuthority, signCertificate } from './authority.make.ts'
import { certificateContext } from './acme.order.ts'
import { findAnswer, findCertificate } from './acme.store.ts'

declare module '../../platform/events/bus.ts' {
  interface ServerEvents {
    /** An order of a host name has ended, with a certificate or without. */
    certificate: { name: string }
  }
}

/** Maximum time that a client waits for the first certificate of a name. The handshake may take no longer than 20 s. */
const waitMs = 15_000

export interface AcmeDependencies {
  database: Database
  vault: Vault
  clock: Clock
  bus: Bus
  log: Logger
  config: Pick<Config, 'baseUrl' | 'instanceDomain'>
  acme: AcmeConfig
}

export interface AcmeCertificates extends Certificates {
  find: NonNullable<Certificates['find']>
  /** Sets how a name is ordered. `want` tells whether an order is under way; `retry` orders again what has failed. */
  orderBy(orders: { want(name: string): Promise<boolean>; retry(): Promise<void> }): void
}

/**
 * The certificates that an ACME server issued, each for one host name. They are in the database, for all servers; each
 * server keeps in memory what it has shown.
 */
export async function openAcmeCertificates(deps: AcmeDependencies): Promise<AcmeCertificates> {
  const { database, vault, clock, bus, log, config } = deps
  const console = new URL(config.baseUrl).hostname
  const known = new Map<string, Certificate>()
  const waiting = new Map<string, { found: Promise<Certificate | undefined>; end: () => void }>()
  const listeners = new Set<(certificate: Certificate) => void>()
  let orders: Parameters<AcmeCertificates['orderBy']>[0] | undefined
  let placeholder: Certificate | undefined

  /** Reads a certificate from the database. */
  async function read(name: string): Promise<Certificate | undefined> {
    const row = await findCertificate(database.read, name)
    if (row?.certificate == null || row.key_sealed === null) {
      known.delete(name)
      return undefined
    }
    const former = known.get(name)
    if (former?.cert === row.certificate) return former
    const certificate = certificateOf(row.certificate, vault.open(row.key_sealed, certificateContext(name)))
    known.set(name, certificate)
    if (name === console) for (const listener of listeners) listener(certificate)
    return certificate
  }

  async function order(name: string): Promise<Certificate | undefined> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMs).unref()
    waiting.set(name, { found: attempt(), end: resolve })
    return waiting.get(name)!.found

    async function attempt(): Promise<Certificate | undefined> {
      try {
        if (!(await orders?.want(name))) return undefined
        await promise
        return await read(name)
      } finally {
        clearTimeout(timer)
        waiting.delete(name)
      }
    }
  }

  const changed = (name: string) =>
    read(name)
      .catch((error: unknown) => log.error({ err: error, name }, 'a certificate could not be read'))
      .finally(() => waiting.get(name)?.end())
  const unsubscribe = bus.subscribe((event) => {
    if (event.type !== 'certificate') return
    if (event.name === console || known.has(event.name) || waiting.has(event.name)) void changed(event.name)
  })
  const refresh = async () => void (await Promise.all([console, ...known.keys()].map(changed)))
  const unhook = bus.onGap(() => void refresh())

  await read(console)
  if (!known.has(console)) {
    const names = { console, domain: undefined }
    const { cert, key } = await signCertificate(await makeAuthority(names, clock.now()), names, clock.now())
    placeholder = certificateOf(cert, key)
  }

  return {
    status() {
      const certificate = known.get(console)
      return certificate ? { certificate } : { certificate: placeholder!, isPlaceholder: true }
    },
    async find(host) {
      const name = host.toLowerCase().replace(/\.$/, '')
      if (name === console) return known.get(console)
      return known.get(name) ?? (await read(name)) ?? waiting.get(name)?.found ?? order(name)
    },
    challenge: (name, token) => findAnswer(database.read, name, token),
    async reload() {
      await refresh()
      await orders?.retry()
    },
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    orderBy: (how) => void (orders = how),
    close() {
      unsubscribe()
      unhook()
    },
  }
}
