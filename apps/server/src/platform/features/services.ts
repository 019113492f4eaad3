import type { Driver } from '@app/drivers'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import type { Clock } from '../clock.ts'
import type { Vault } from '../crypto.ts'
import type { Database } from '../db/database.ts'
import type { Disk } from '../disk.ts'
import type { Bus } from '../events/bus.ts'
import type { Look } from '../health/check.ts'
import type { Figure } from '../health/figures.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { Trust } from '../proxy/index.ts'
import type { Sweeper } from '../sweeper.ts'
import type { Certificates } from '../tls/certificate.ts'
import type { BackupRules } from './feature.ts'

/** `starting` until everything is migrated and every feature is ready for requests. */
export type Phase = 'starting' | 'ready' | 'stopping'

/** The services the platform offers every feature. */
export interface Platform {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  sweeper: Sweeper
  driver: Driver
  vault: Vault
  keys: Keyring
  trust: Trust
  disk: Disk
  config: Config
  version: string
  phase(): Phase
  /** Backup rules of all tables. */
  backupRules: BackupRules
  baseUrl: string
  /** The console is reached over HTTPS. */
  secure: boolean
  /** The certificate that the server itself shows; absent where it speaks plain HTTP alone. */
  certificates: Certificates | undefined
  hooks: { run<K extends keyof Hooks>(name: K, ...args: Parameters<Hooks[K]>): Promise<void> }
  /** The health checks and the figures of all features, in the order of the list. */
  watch: { checks(): Look[]; figures(): Promise<Figure[]> }
  /** Ends the process, with a sentence for people. */
  end(reason: string): void
}

/** Every service. Features declare theirs by declaring this interface again. */
export interface Services extends Platform {}

/** Announcements between features. The feature that announces declares this interface again. */
export interface Hooks {}

/** The services as a feature gets them: each is made when it is first read. A spread would make all at once. */
export const unspreadable = <S extends object>(services: S): S =>
  new Proxy(services, {
    ownKeys() {
      throw new Error('Services are not spread or copied: destructure what is needed, or use also()')
    },
  })

/** The services together with arguments of one service, which come before services of the same name. */
export const also = <S extends object, A extends object>(services: S, args: A): Omit<S, keyof A> & A =>
  unspreadable(Object.create(services, Object.getOwnPropertyDescriptors(args)) as Omit<S, keyof A> & A)
