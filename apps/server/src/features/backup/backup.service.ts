import { type Backup, BackupName, type Backups, type Job } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import { access, constants, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Actor, systemActor } from '../../platform/authz/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Keys, Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { damageOf } from '../../platform/db/sound.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { troubleOf } from '../../platform/db/trouble.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Audit } from '../audit/index.ts'
import { makeBackup } from './backup.make.ts'

export interface BackupDependencies {
  database: Database
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  vault: Vault
  audit: Audit
  keys: Keys
  version: string
  config: {
    home: string
    databaseUrl?: string
    backup?: { passphrase?: string; at?: string; keep: number }
  }
}

/** Jobs of the platform itself belong to no team; its administrators hear of them. */
const platformTeam = 'platform'
const kind = 'platform.back-up'
const subject = 'backup'
const lookEveryMs = 30_000
const place = { type: 'platform' as const, id: 'platform' }

interface Payload {
  actor: Actor
  name: string
  /** Sealed; it is gone from the database when the job ends. */
  passphrase: string
  /** How many are kept afterwards; absent: all. */
  keep?: number
}

export type BackupService = ReturnType<typeof createBackups>

/** Back-ups that are made by the running platform and lie in its home until somebody fetches or deletes them. */
export function createBackups(deps: BackupDependencies) {
  const { database, clock, log, jobs, driver, vault, audit, config } = deps
  const folder = join(config.home, 'backups')
  let timer: NodeJS.Timeout | undefined
  let lastRun = ''

  jobs.define<Payload>({
    kind,
    title: 'Make a back-up',
    lane: { name: 'backup', width: 1 },
    once: true,
    steps: [
      {
        name: 'Write the database and the files into one encrypted file',
        async run({ payload, report }) {
          const { name, actor, keep } = payload
          await prepareFolder()
          const file = join(folder, name)
          const damage = config.databaseUrl ? undefined : await damageOf(config.home)
          if (damage !== undefined) {
            log.error({ damage }, 'the database is damaged')
            const sentence =
              'The database is damaged, so no backup was made. Restore the last one into a new FORGE_HOME'
            throw fail('unexpected_error', sentence)
          }
          const made = await makeBackup(
            {
              home: config.home,
              databaseUrl: config.databaseUrl,
              driver,
              masterKey: deps.keys.current.secret,
              version: deps.version,
            },
            { file, passphrase: vault.open(payload.passphrase, name), report },
          )
          const { size } = await stat(file)
          if (keep !== undefined) for (const old of (await list()).slice(keep)) await rm(join(folder, old.name))
          return async (tx) => {
            await forgetPassphrases(tx)
            await audit.record(tx, actor, 'platform.backup.created', place, { info: { name, size, ...made } })
          }
        },
      },
    ],
    async failed(tx, { payload: { actor, name } }, message) {
      await forgetPassphrases(tx)
      const error = { code: 'backup_failed', message }
      await audit.record(tx, actor, 'platform.backup.created', place, { info: { name }, error })
    },
  })

  /** @throws Failure that says why nothing can be written there. */
  async function prepareFolder(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK)
    } catch (error) {
      if (troubleOf(error) === 'full') throw fail('disk_full')
      log.error({ err: error }, 'no folder for backups')
      throw fail(
        'unexpected_error',
        'The server cannot write to the folder backups of FORGE_HOME: see its owner and rights',
      )
    }
  }

  async function forgetPassphrases(tx: Tx): Promise<void> {
    await tx.updateTable('jobs').set({ payload: '{}' }).where('subject', '=', subject).execute()
  }

  async function list(): Promise<Backup[]> {
    const names = await readdir(folder).catch(() => [])
    const files = names
      .filter((name) => BackupName.safeParse(name).success)
      .sort()
      .reverse()
    const found = await Promise.all(
      files.map((name) =>
        stat(join(folder, name)).then(
          ({ size, mtimeMs }) => ({ name, size, createdAt: iso(Math.round(mtimeMs)) }),
          () => undefined,
        ),
      ),
    )
    return found.filter((one) => one !== undefined)
  }

  /** All but the job that makes one. */
  async function kept(): Promise<Omit<Backups, 'job'>> {
    const { at, keep } = config.backup ?? { keep: 0 }
    return { backups: await list(), ...(at && { nightly: { at, keep } }) }
  }

  /** The name sorts by time, and two in one second differ. */
  function newName(): string {
    const [day, time] = iso(clock.now()).slice(0, 19).replaceAll(/[-:]/g, '').split('T')
    return `flowforge-${day}-${time}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}.backup`
  }

  async function begin(actor: Actor, passphrase: string, keep?: number): Promise<Job> {
    const name = newName()
    const payload: Payload = { actor, name, passphrase: vault.seal(passphrase, name), ...(keep && { keep }) }
    const job = await database.transact((tx) => jobs.enqueue(tx, kind, { subject, teamId: platformTeam, payload }))
    if (!job) throw fail('invalid_state', 'A back-up is being made already')
    return job
  }

  /** A nightly backup whose time passed while the server was down; not for a platform that has none yet. */
  async function makeUp(now: Date): Promise<void> {
    const { at, passphrase, keep } = config.backup ?? { keep: 0 }
    const [newest] = await list()
    if (!at || !passphrase || !newest) return
    const [hours, minutes] = at.split(':').map(Number)
    const due = new Date(now)
    due.setHours(hours!, minutes, 0, 0)
    if (due > now) due.setDate(due.getDate() - 1)
    if (Date.parse(newest.createdAt) < due.getTime()) await begin(systemActor, passphrase, keep)
  }

  /** Once a day, at its time. */
  async function nightly(now: Date): Promise<void> {
    const { at, passphrase, keep } = config.backup ?? { keep: 0 }
    if (!at || !passphrase) return
    const local = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`
    const today = now.toDateString()
    if (local !== at || lastRun === today) return
    lastRun = today
    await begin(systemActor, passphrase, keep)
  }

  return {
    async overview(): Promise<Backups> {
      const [job] = await jobs.list(subject, 1)
      return { ...(await kept()), ...(job && { job }) }
    },
    kept,

    /** @throws Failure invalid_state while one is being made. */
    create: (actor: Actor, passphrase: string): Promise<Job> => begin(actor, passphrase),

    /** The bytes of a back-up. @throws Failure not_found */
    async download(actor: Actor, name: string): Promise<{ stream: Readable; size: number }> {
      const handle = await open(join(folder, name), 'r').catch(() => {
        throw fail('not_found')
      })
      const { size } = await handle.stat()
      await database.transact((tx) => audit.record(tx, actor, 'platform.backup.downloaded', place, { info: { name } }))
      return { stream: handle.createReadStream(), size }
    },

    /** @throws Failure not_found */
    async remove(actor: Actor, name: string): Promise<void> {
      await stat(join(folder, name)).catch(() => {
        throw fail('not_found')
      })
      await database.transact((tx) => audit.record(tx, actor, 'platform.backup.deleted', place, { info: { name } }))
      await rm(join(folder, name), { force: true })
    },

    nightly,
    makeUp,
    start(): void {
      if (!config.backup?.at) return
      void makeUp(new Date(clock.now())).catch((error: unknown) => log.error({ err: error }, 'no nightly back-up'))
      timer = setInterval(() => {
        void nightly(new Date(clock.now())).catch((error: unknown) => log.error({ err: error }, 'no nightly back-up'))
      }, lookEveryMs)
    },
    stop: () => clearInterval(timer),
  }
}
