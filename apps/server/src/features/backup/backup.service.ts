import { type Backup, BackupName, type Backups, type Job } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import { access, constants, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import type { Readable } from 'node:stream'
import { type Actor, systemActor } from '../../platform/authz/actor.ts'
import { ActorSchema } from '../../platform/authz/actor.schema.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Keys, Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { damageOf } from '../../platform/db/sound.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { troubleOf } from '../../platform/db/trouble.ts'
import { fail } from '../../platform/http/failure.ts'
import type { BackupRules } from '../../platform/features/feature.ts'
import { defineJob } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import { emptyPayloads } from '../../platform/jobs/jobs.store.ts'
import type { Audit } from '../audit/index.ts'
import { readArchive } from './archive.reader.ts'
import { inspecting } from './archive.visitor.ts'
import { makeBackup } from './backup.make.ts'
import { type BackupRow, compareFile, deleteRecords, digestOf, insertRecord, listRecords } from './backup.records.ts'

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
  backupRules: BackupRules
  config: {
    home: string
    databaseUrl?: string
    backup?: { passphrase?: string; at?: string; keep: number }
  }
}

/** Jobs of the platform itself belong to no team; its administrators hear of them. */
const platformTeam = 'platform'
const kind = 'platform.backup'
const subject = 'backup'
const lookEveryMs = 30_000
const dayMs = 86_400_000
const auditScope = { type: 'platform' as const, id: 'platform' }

const Payload = z.object({
  actor: ActorSchema,
  name: z.string(),
  /** Sealed; it is gone from the database when the job ends. Absent: that of the settings. */
  passphrase: z.exactOptional(z.string()),
  /** Number of backups that are kept afterwards; absent: all. */
  keep: z.exactOptional(z.number()),
})
type Payload = z.infer<typeof Payload>

export type BackupService = ReturnType<typeof createBackups>

/** Backups that are made by the running platform and lie in its home until somebody fetches or deletes them. */
export function createBackups(deps: BackupDependencies) {
  const { database, clock, log, jobs, driver, vault, audit, config } = deps
  const folder = join(config.home, 'backups')
  let timer: NodeJS.Timeout | undefined
  let lastRun = ''
  let checking: Promise<void> | undefined
  let known: ReadonlyMap<string, BackupRow> = new Map()

  const makeJob = defineJob({
    kind,
    title: 'Make a backup',
    lane: { name: 'backup', width: 1 },
    payload: Payload,
    // A typed passphrase is forgotten when the job ends.
    once: ({ passphrase }) => passphrase !== undefined,
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
          const phrase = payload.passphrase ? vault.open(payload.passphrase, name) : config.backup?.passphrase
          if (phrase === undefined) throw fail('invalid_state', 'FORGE_BACKUP_PASSPHRASE is no longer set')
          const begun = performance.now()
          const made = await makeBackup(
            {
              home: config.home,
              databaseUrl: config.databaseUrl,
              driver,
              masterKey: deps.keys.current.secret,
              version: deps.version,
              rules: deps.backupRules,
            },
            { file, passphrase: phrase, report },
          )
          report({ text: 'Reading it back' })
          await readArchive(file, phrase, inspecting)
          const [{ size }, sha256] = [await stat(file), await digestOf(file)]
          const took_ms = Math.round(performance.now() - begun)
          const old = keep === undefined ? [] : (await list()).slice(keep).map((one) => one.name)
          // An administrator may have deleted one in this moment.
          for (const gone of old) await rm(join(folder, gone), { force: true })
          return async (tx) => {
            await forgetPassphrases(tx)
            await deleteRecords(tx, old)
            await insertRecord(tx, { name, sha256, took_ms, checked_at: clock.now(), damage: null })
            await audit.record(tx, actor, 'platform.backup.created', auditScope, { info: { name, size, ...made } })
          }
        },
      },
    ],
    async failed(tx, { payload }, message) {
      await forgetPassphrases(tx)
      const { actor = systemActor, name } = payload ?? {}
      const error = { code: 'backup_failed', message }
      await audit.record(tx, actor, 'platform.backup.created', auditScope, { info: { name }, error })
    },
  })

  /** @throws Failure that says why nothing can be written there. */
  async function prepareFolder(): Promise<void> {
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await access(folder, constants.W_OK)
      // A server that was killed left its draft behind.
      for (const name of await readdir(folder))
        if (name.endsWith('.part') && BackupName.safeParse(name.slice(0, -'.part'.length)).success)
          await rm(join(folder, name))
    } catch (error) {
      if (troubleOf(error) === 'full') throw fail('disk_full')
      log.error({ err: error }, 'no folder for backups')
      throw fail(
        'unexpected_error',
        'The server cannot write to the folder backups of FORGE_HOME: see its owner and rights',
      )
    }
  }

  const forgetPassphrases = async (tx: Tx): Promise<void> => emptyPayloads(tx, subject, '"passphrase"')

  async function list(): Promise<Backup[]> {
    const names = await readdir(folder).catch(() => [] as string[])
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

  /** Why nobody can say which there are, in a sentence; undefined where that can be seen. */
  async function unreadable(): Promise<string | undefined> {
    const error = await readdir(folder).then(
      () => undefined,
      (thrown: NodeJS.ErrnoException) => thrown,
    )
    if (!error || error.code === 'ENOENT') return undefined
    return `${folder} cannot be read (${error.code}). Give it to the user of the server: chown -R <user> ${folder}`
  }

  async function listChecked(records: ReadonlyMap<string, BackupRow>): Promise<Backup[]> {
    return (await list()).map((one) => {
      const record = records.get(one.name)
      if (!record) return one
      const { checked_at, damage } = record
      return { ...one, checkedAt: iso(Number(checked_at)), ...(damage !== null && { damage }) }
    })
  }

  /** Compares files with what they were when made: the newest once a day, the others once a week. */
  async function checkDue(): Promise<void> {
    const records = await listRecords(database.read)
    for (const [at, { name }] of (await list()).entries()) {
      const record = records.get(name)
      if (!record || clock.now() - Number(record.checked_at) < (at === 0 ? dayMs : 7 * dayMs)) continue
      const damage = await compareFile(database.read, record, join(folder, name), clock.now())
      if (damage !== undefined) log.error({ backup: name, damage }, 'a backup is damaged')
      records.set(name, { ...record, damage: damage ?? null })
    }
    known = records
  }

  /** The name sorts by time, and two in one second differ. */
  function newName(): string {
    const [day, time] = iso(clock.now()).slice(0, 19).replaceAll(/[-:]/g, '').split('T')
    return `flowforge-${day}-${time}-${Math.random().toString(36).slice(2, 8).padEnd(6, '0')}.tar.gz.age`
  }

  /** Without a passphrase that of the settings is taken. */
  async function begin(actor: Actor, passphrase: string | undefined, keep?: number): Promise<Job> {
    const name = newName()
    const sealed = passphrase === undefined ? {} : { passphrase: vault.seal(passphrase, name) }
    const payload: Payload = { actor, name, ...sealed, ...(keep && { keep }) }
    const job = await database.transact((tx) => jobs.enqueue(tx, kind, { subject, teamId: platformTeam, payload }))
    if (!job) throw fail('invalid_state', 'A backup is being made already')
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
    if (Date.parse(newest.createdAt) < due.getTime()) await begin(systemActor, undefined, keep)
  }

  /** Once a day, at its time. */
  async function nightly(now: Date): Promise<void> {
    const { at, passphrase, keep } = config.backup ?? { keep: 0 }
    if (!at || !passphrase) return
    const local = `${String(now.getHours()).padStart(2, '0')}:${String(now.getMinutes()).padStart(2, '0')}`
    const today = now.toDateString()
    if (local !== at || lastRun === today) return
    lastRun = today
    await begin(systemActor, undefined, keep)
  }

  return {
    makeJob,
    async overview(): Promise<Backups> {
      const { at, keep } = config.backup ?? { keep: 0 }
      const [job] = await jobs.list(subject, 1)
      const failed = job?.state === 'failed' ? (await jobs.watch([subject]))[0] : undefined
      const fault = await unreadable()
      return {
        backups: await listChecked(await listRecords(database.read)),
        ...(fault && { unreadable: fault }),
        ...(job && { job }),
        ...(failed?.canRetry && { canRetry: true as const }),
        ...(at && { nightly: { at, keep } }),
      }
    },
    /** The files and what was last seen of them, without a look into the database. */
    async kept(): Promise<Pick<Backups, 'backups' | 'nightly' | 'unreadable'>> {
      const { at, keep } = config.backup ?? { keep: 0 }
      const fault = await unreadable()
      return {
        backups: await listChecked(known),
        ...(fault && { unreadable: fault }),
        ...(at && { nightly: { at, keep } }),
      }
    },
    /** Duration of the newest known backup, in milliseconds. */
    async lastTook(): Promise<number | undefined> {
      const [newest, records] = [(await list())[0], await listRecords(database.read)]
      const took = newest && records.get(newest.name)?.took_ms
      return took === undefined ? undefined : Number(took)
    },
    checkDue,

    /** @throws Failure invalid_state while one is being made. */
    create: (actor: Actor, passphrase: string): Promise<Job> => begin(actor, passphrase),

    /** The bytes of a backup. @throws Failure not_found */
    async download(actor: Actor, name: string): Promise<{ stream: Readable; size: number }> {
      const handle = await open(join(folder, name), 'r').catch(() => {
        throw fail('not_found')
      })
      try {
        const { size } = await handle.stat()
        await database.transact((tx) =>
          audit.record(tx, actor, 'platform.backup.downloaded', auditScope, { info: { name } }),
        )
        return { stream: handle.createReadStream(), size }
      } catch (error) {
        await handle.close()
        throw error
      }
    },

    /** @throws Failure not_found */
    async remove(actor: Actor, name: string): Promise<void> {
      await stat(join(folder, name)).catch(() => {
        throw fail('not_found')
      })
      await database.transact(async (tx) => {
        await deleteRecords(tx, [name])
        await audit.record(tx, actor, 'platform.backup.deleted', auditScope, { info: { name } })
      })
      await rm(join(folder, name), { force: true })
    },

    nightly,
    makeUp,
    start(): void {
      const failed = (error: unknown) => log.error({ err: error }, 'no nightly backup')
      if (config.backup?.at) void makeUp(new Date(clock.now())).catch(failed)
      timer = setInterval(() => {
        void nightly(new Date(clock.now())).catch(failed)
        checking ??= checkDue()
          .catch((error: unknown) => log.error({ err: error }, 'backups could not be checked'))
          .finally(() => (checking = undefined))
      }, lookEveryMs)
    },
    stop: () => clearInterval(timer),
  }
}
