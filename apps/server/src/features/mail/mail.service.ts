import type { MailSettings } from '@app/contract'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import type { MailServer } from '../../config.mail.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { newId } from '../../platform/ids.ts'
import { type DefinedJob, defineJob } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { compose, type Letter, Message } from './mail.message.ts'
import { deleteMail, findMail, insertMail, listDueMails, postponeMail } from './mail.store.ts'
import { createTransport } from './mail.transport.ts'

const readMessage = jsonColumn('mails.sealed', Message)

export interface MailDependencies {
  database: Database
  jobs: Jobs
  clock: Clock
  log: Logger
  vault: Vault
  config: { mail?: MailServer; baseUrl: string }
}

const minute = 60_000
/** Delay after each attempt; after the last the mail is given up. About two days in all. */
const waits = [1, 5, 15, 60, 4 * 60, 12 * 60, 24 * 60].map((minutes) => minutes * minute)
const sweepEvery = 15_000
/** Names the job of a mail, and ties what is sealed to it. */
export const subjectOf = (id: string) => `mail-${id}`

export interface Mail {
  readonly sendJob: DefinedJob
  readonly configured: boolean
  /** Mail settings, for administrators; false when mail cannot go out. */
  settings(): false | MailSettings
  /** Sends a letter once the transaction is durable, and again until the server takes it. Nothing when mail is not configured. */
  send(tx: Tx, letter: Letter): Promise<void>
  /** Takes up the mails whose next attempt is due. */
  retryDue(): Promise<void>
  /** Attempts since this server was started, by their result. */
  counts(): { sent: number; postponed: number; givenUp: number }
  start(): void
  stop(): void
}

/** Mail by SMTP: written down with the change it tells of, sent by a job outside the request, tried again for two days. */
export function createMail({ database, jobs, clock, log, vault, config }: MailDependencies): Mail {
  const { mail, baseUrl } = config
  const transport = mail && createTransport(mail, new URL(baseUrl).hostname)
  const counts = { sent: 0, postponed: 0, givenUp: 0 }
  let timer: NodeJS.Timeout | undefined

  /** A refusal for good (5xx) will be one tomorrow as well. */
  function next(id: string, attempts: number, error: unknown): ((tx: Tx) => Promise<void>) | undefined {
    const { responseCode = 0, code, message } = error as { responseCode?: number; code?: string; message: string }
    const wait = waits[attempts - 1]
    const final = wait === undefined || (responseCode >= 500 && code !== 'EAUTH')
    counts[final ? 'givenUp' : 'postponed'] += 1
    log[final ? 'error' : 'warn'](
      { mail: id, attempts, code, reason: message },
      final ? 'mail given up' : 'mail not sent',
    )
    return final ? (tx) => deleteMail(tx, id) : (tx) => postponeMail(tx, id, attempts, clock.now() + wait)
  }

  async function attempt(id: string): Promise<((tx: Tx) => Promise<void>) | undefined> {
    const row = await findMail(database.read, id)
    if (!row) return undefined
    if (!transport) return (tx) => postponeMail(tx, id, row.attempts, clock.now() + minute)
    try {
      await transport.deliver(id, readMessage(vault.open(row.sealed, subjectOf(id)), id))
      counts.sent += 1
      return (tx) => deleteMail(tx, id)
    } catch (error) {
      return next(id, row.attempts + 1, error)
    }
  }

  const sendJob = defineJob({
    kind: 'mail.send',
    title: 'Send a mail',
    payload: z.object({}),
    steps: [
      {
        name: 'Send',
        async run({ subject }) {
          const record = await attempt(subject.slice(subjectOf('').length))
          return async (tx) => {
            await record?.(tx)
            // The mail itself says what is still to be done, so the job leaves nothing behind.
            await jobs.forget(tx, subject)
          }
        },
      },
    ],
    failed: async (tx, { subject }) => jobs.forget(tx, subject),
  })

  async function retryDue(): Promise<void> {
    const due = await listDueMails(database.read, clock.now(), 100)
    if (due.length === 0) return
    await database.transact(async (tx) => {
      for (const { id } of due) await jobs.enqueue(tx, 'mail.send', { subject: subjectOf(id), teamId: '', payload: {} })
    })
  }

  return {
    sendJob,
    configured: transport !== undefined,
    settings: () =>
      mail !== undefined && { from: mail.from, smtp: { host: mail.host, port: mail.port, secure: mail.secure } },
    async send(tx, letter) {
      if (!transport) return
      const id = newId()
      const sealed = vault.seal(JSON.stringify(compose(letter)), subjectOf(id))
      const now = clock.now()
      // Should the job come to nothing, it is due again like one that was tried.
      await insertMail(tx, { id, sealed, attempts: 0, due_at: now + minute, created_at: now })
      await jobs.enqueue(tx, 'mail.send', { subject: subjectOf(id), teamId: '', payload: {} })
    },
    retryDue,
    counts: () => ({ ...counts }),
    start() {
      timer = setInterval(() => {
        retryDue().catch((error: unknown) => log.error({ err: error }, 'queued mails not resumed'))
      }, sweepEvery)
    },
    stop() {
      clearInterval(timer)
      transport?.close()
    },
  }
}
