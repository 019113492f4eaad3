import type { RouteId, Target } from '@app/contract'
import type { FastifyInstance } from 'fastify'
import type { LoadedTarget } from '../authz/authorize.ts'
import type { Actor, ProgramKind } from '../authz/actor.ts'
import type { CallerRules } from '../authz/callers.ts'
import type { Look } from '../health/check.ts'
import type { Figure } from '../health/figures.ts'
import type { Handlers } from '../http/context.ts'
import type { DefinedJob } from '../jobs/definition.ts'
import type { SealedColumn } from '../keys/sealed.columns.ts'
import type { Sweep } from '../sweeper.ts'
import type { Hooks, Services } from './services.ts'

type MaybePromise<T> = T | Promise<T>

/** Targets that have to be found first. */
export type LoadedKind = Exclude<Target, 'platform' | 'self'>

/** The work of a service beside answering requests. Every part is left out if empty. */
export interface Run {
  /** Before the server listens, on the server that is the host (decision 24). */
  adopt?(): MaybePromise<void>
  /** Once the server listens. `isHost`: this server is the host. */
  start?(isHost: boolean): MaybePromise<void>
  /** Takes nothing new while open requests finish. */
  drain?(): void
  stop?(): MaybePromise<void>
}

type Keys = Record<string, string | undefined>
type Found = Promise<(LoadedTarget & Record<string, unknown>) | undefined>

/** Lookup of one kind of target for routes. */
export interface LoadsTarget {
  /** Parameters of a path that name it. */
  keys: readonly string[]
  /** Finds what path or body name, with the caller's role there, in one query. `userId` is '' without one. */
  load(keys: Keys, userId: string): Found
}

/** The credentials in a request. */
export interface Credentials {
  bearer: string | undefined
  cookies: Record<string, string | undefined>
  address: string
}

/** Rules of backups for tables; tables without a rule are kept as they are. */
export interface BackupRules {
  /** Tables whose rows are not kept: true only of one machine or for a few minutes. */
  leaveOut?: readonly string[]
  /** By table: the row as a backup keeps it, or undefined to leave it out. */
  change?: Record<string, (row: Record<string, unknown>) => Record<string, unknown> | undefined>
}

/** Everything the platform needs to know about a feature. Every part but the name is left out if empty. */
export interface Feature<
  Name extends keyof Services = keyof Services,
  Ids extends RouteId = RouteId,
  Kinds extends ProgramKind = ProgramKind,
> {
  /** Name of its folder. */
  name: string
  /** Tables of its own that other features may join in their lists. Nobody else writes them (`tools/check/tables.ts`). */
  shares?: readonly string[]
  /** Columns of these that stay its own, as `table.column`. */
  hides?: readonly string[]
  /**
   * Its services, made when first needed, so a service may destructure any other; a cycle is refused. Declare their
   * types in `Services`.
   */
  provides?: { [K in Name]: (services: Services) => Services[K] }
  /** Handlers of its routes. */
  routes?: (services: Services) => Handlers<Ids>
  /** Serves what the contract has no route for, such as files. */
  serve?: (app: FastifyInstance, services: Services) => void
  /** Paths whose WebSockets another process answers, each with what names its Unix socket. */
  sockets?: (services: Services) => Record<string, () => string | undefined>
  /** The targets of routes that it owns. */
  targets?: (services: Services) => Partial<Record<LoadedKind, LoadsTarget>>
  /** Identifies the caller: undefined at once if these credentials are not of its kind; later, if they are nobody's. */
  identify?: (services: Services, credentials: Credentials) => Promise<Actor | undefined> | undefined
  /** Rules for judging the kinds of programs that it declares in `Programs`. */
  callers?: (services: Services) => { [K in Kinds]: CallerRules<K> }
  /** Services with work of their own. They start in the order of their needs and stop in reverse. */
  runs?: { [K in keyof Services]?: (services: Services) => Run }
  /** Its durable jobs. Nobody can ask for one of a kind that no feature declares. */
  jobs?: (services: Services) => readonly DefinedJob[]
  /** Its reactions to the announcements of others. */
  hooks?: { [K in keyof Hooks]?: (services: Services) => Hooks[K] }
  /** Its checks on the health page; each runs when the page is opened. */
  health?: (services: Services) => readonly Look[]
  /** Its figures at `/metrics`. One that cannot be found out is left out. */
  figures?: (services: Services) => Promise<Figure[]>
  /** Names of its cookies, which no upstream of the proxy ever receives. */
  cookies?: (services: Services) => string[]
  sweeps?: readonly Sweep[]
  backup?: BackupRules
  /** Where it keeps values sealed under the master key. */
  sealed?: readonly SealedColumn[]
}

/** Any feature of the list. */
export type AnyFeature = Omit<Feature, 'provides' | 'routes' | 'callers'> & {
  provides?: Partial<Record<keyof Services, (services: Services) => unknown>>
  routes?: (services: Services) => object
  callers?: (services: Services) => object
}

/** Declares a feature, keeping the names of its services, routes and kinds of programs for the compiler. */
export function defineFeature<
  const Name extends keyof Services = never,
  const Ids extends RouteId = never,
  const Kinds extends ProgramKind = never,
>(feature: Feature<Name, Ids, Kinds>): Feature<Name, Ids, Kinds> {
  return feature
}
