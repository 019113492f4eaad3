import * as z from 'zod/mini'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { AcmeConfig } from '../../config.acme.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Certificate, Certificates } from '../../platform/tls/certificate.ts'
import type { EditorGateway } from '../devices/index.ts'
import { findByName } from '../instances/index.ts'
import type { AcmeCertificates } from './acme.certificates.ts'
import { type Fault, faultOf } from './acme.faults.ts'
import { certificateContext, orderCertificate } from './acme.order.ts'
import {
  deleteCertificate,
  deleteChallenges,
  findAccount,
  findCertificate,
  keepName,
  listDue,
  replaceOthers,
  retryFailed,
  updateAccount,
  updateCertificate,
} from './acme.store.ts'

export interface AcmeServiceDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  vault: Vault
  jobs: Jobs
  config: Pick<Config, 'baseUrl' | 'instanceDomain' | 'instancePorts' | 'tls'>
  certificates: Certificates | undefined
  editorGateway: Pick<EditorGateway, 'hasEditor'>
}

export type Acme = ReturnType<typeof createAcme>

const dayMs = 86_400_000
const lookEveryMs = 30_000
const atOnce = 50
const kind = 'certificate.order'
const subjectOf = (name: string) => `certificate:${name}`

/** Renewed 30 days before the end, or when a third of a shorter life is left. */
const renewAt = ({ validFrom, expiresAt }: Certificate) =>
  expiresAt - Math.min(30 * dayMs, Math.floor((expiresAt - validFrom) / 3))

/**
 * Orders certificates from an ACME server and renews them. Each order is a job of a lane of its own, so the whole
 * platform makes one at a time. The row of a name says when its next order is due, and outlives a crash.
 */
export function createAcme(deps: AcmeServiceDependencies) {
  const { database, bus, clock, log, vault, jobs, config, editorGateway } = deps
  const acme: AcmeConfig | undefined = config.tls?.source.kind === 'acme' ? config.tls.source : undefined
  const console = new URL(config.baseUrl).hostname
  const domain = new URL(`https://${config.instanceDomain}`).hostname
  let timer: NodeJS.Timeout | undefined

  /** Does this host name lead to something that exists? Names that nobody made get no certificate. */
  async function exists(name: string): Promise<boolean> {
    if (name === console) return true
    const label = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : ''
    if (config.instancePorts || !/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(label)) return false
    const { host } = new URL(`https://${label}.${config.instanceDomain}`)
    return (await findByName(database.read, label)) !== undefined || editorGateway.hasEditor(host)
  }

  const enqueue = (tx: Tx, name: string) =>
    jobs.enqueue(tx, kind, { subject: subjectOf(name), teamId: '', payload: {} })

  /** Orders a name that has no certificate. @returns false when none is made now: it is unknown, or has failed lately. */
  async function want(name: string): Promise<boolean> {
    if (!acme) return false
    const now = clock.now()
    const [row, account] = [
      await findCertificate(database.read, name),
      await findAccount(database.read, acme.directory),
    ]
    if ((row && row.due_at > now) || (account && account.paused_until > now)) return false
    if (!row && !(await exists(name))) return false
    await database.transact(async (tx) => {
      await keepName(tx, { name, directory: acme.directory, created_at: now })
      await enqueue(tx, name)
    })
    return true
  }

  async function orderDue(): Promise<void> {
    const due = await listDue(database.read, clock.now(), atOnce)
    if (due.length > 0)
      await database.transact(async (tx) => void (await Promise.all(due.map((one) => enqueue(tx, one)))))
  }

  /** Makes one attempt. @returns what is to be recorded of it. */
  async function attempt(name: string): Promise<((tx: Tx) => Promise<void>) | undefined> {
    const row = await findCertificate(database.read, name)
    if (!acme || !row || row.due_at > clock.now()) return undefined
    if (!(await exists(name))) return (tx) => drop(tx, name)
    const account = await findAccount(database.read, acme.directory)
    const pausedUntil = account?.paused_until ?? 0
    if (pausedUntil > clock.now()) return (tx) => updateCertificate(tx, name, { due_at: pausedUntil })
    try {
      const certificate = await orderCertificate({ database, vault, clock, acme }, row)
      log.info({ name, expires: new Date(certificate.expiresAt) }, 'a certificate was issued')
      return (tx) => keep(tx, name, certificate)
    } catch (error) {
      const fault = faultOf(error, row.failures)
      log.warn({ name, code: fault.code, err: error }, 'no certificate was issued')
      return (tx) => postpone(tx, name, fault, row.failures + 1)
    }
  }

  async function drop(tx: Tx, name: string): Promise<void> {
    await deleteCertificate(tx, name)
    await bus.publish(tx, { type: 'certificate', name })
  }

  async function keep(tx: Tx, name: string, certificate: Certificate): Promise<void> {
    await updateCertificate(tx, name, {
      directory: acme!.directory,
      certificate: certificate.cert,
      key_sealed: vault.seal(certificate.key, certificateContext(name)),
      expires_at: certificate.expiresAt,
      due_at: Math.max(renewAt(certificate), clock.now() + lookEveryMs),
      order_url: null,
      order_key_sealed: null,
      failures: 0,
      fault_code: null,
      fault: null,
    })
    await deleteChallenges(tx, name)
    await bus.publish(tx, { type: 'certificate', name })
  }

  async function postpone(tx: Tx, name: string, fault: Fault, failures: number): Promise<void> {
    const due_at = clock.now() + fault.waitMs
    await updateCertificate(tx, name, { due_at, failures, fault_code: fault.code, fault: fault.text })
    if (fault.stopsAll) await updateAccount(tx, acme!.directory, { paused_until: due_at })
    await bus.publish(tx, { type: 'certificate', name })
  }

  const orderJob = defineJob({
    kind,
    title: 'Order a certificate',
    lane: { name: 'certificates', width: 1 },
    payload: z.object({}),
    steps: [
      {
        name: 'Order the certificate',
        async run({ subject }) {
          const record = await attempt(subject.slice(subjectOf('').length))
          return async (tx) => {
            await record?.(tx)
            // The row of the name says what is still to be done, so the job leaves nothing behind.
            await jobs.forget(tx, subject)
          }
        },
      },
    ],
    async failed(tx, { subject }, message) {
      const name = subject.slice(subjectOf('').length)
      const failures = (await findCertificate(tx, name))?.failures ?? 0
      await postpone(tx, name, { ...faultOf(new Error(message), failures), stopsAll: false }, failures + 1)
      await jobs.forget(tx, subject)
    },
  })

  const look = () =>
    orderDue().catch((error: unknown) => log.error({ err: error }, 'due certificates were not ordered'))

  async function retry(): Promise<void> {
    await database
      .transact((tx) => retryFailed(tx, clock.now()))
      .catch((error: unknown) => log.error({ err: error }, 'failed certificates were not made due'))
    await look()
  }

  return {
    orderJob,
    isOn: acme !== undefined,
    orderDue,
    /** `isHost`: this server works off the orders. */
    async start(isHost: boolean): Promise<void> {
      if (!acme) return
      const own = deps.certificates as AcmeCertificates
      own.orderBy({ want, retry })
      if (!isHost) return
      const now = clock.now()
      await database.transact(async (tx) => {
        await keepName(tx, { name: console, directory: acme.directory, created_at: now })
        await replaceOthers(tx, acme.directory, now)
      })
      await look()
      timer = setInterval(() => void look(), lookEveryMs)
    },
    stop: (): void => clearInterval(timer),
  }
}
