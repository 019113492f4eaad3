import type { RouteId } from '@app/contract'
import type { Actor } from '../authz/actor.ts'
import type { Callers } from '../authz/callers.ts'
import type { Look } from '../health/check.ts'
import type { Figure } from '../health/figures.ts'
import type { Handlers } from '../http/context.ts'
import type { DefinedJob } from '../jobs/definition.ts'
import type { AnyFeature, Credentials, LoadedKind, LoadsTarget, Run } from './feature.ts'
import { type Hooks, type Platform, type Services, unspreadable } from './services.ts'

type Make = (services: Services) => unknown
/** Services of the platform itself that need those of features. */
interface Late {
  /** `declared`: the jobs of all features, by kind, as soon as every service is made. */
  jobs(services: Services, declared: ReadonlyMap<string, DefinedJob>): Platform['jobs']
  sweeper(services: Services): Platform['sweeper']
}
type Ground = Omit<Platform, 'hooks' | 'watch' | keyof Late> & Late

/** The features put together: their services, and what starts and stops with the server. */
export interface Assembly {
  services: Services
  handlers: Handlers<RouteId>
  targets: Record<LoadedKind, LoadsTarget>
  /** The Unix sockets of processes that answer WebSockets, by path. */
  sockets: Record<string, () => string | undefined>
  /** Names of the cookies that belong to the console alone. */
  cookies: string[]
  identify(credentials: Credentials): Promise<Actor>
  callers: Callers
  adopt(): Promise<void>
  start(isHost: boolean): Promise<void>
  drain(): void
  stop(): Promise<void>
}

/** Joins the features of the list. @throws Error on a service or a job that two have, or a service that needs itself. */
export function assemble(features: readonly AnyFeature[], { jobs, sweeper, ...platform }: Ground): Assembly {
  const all = { ...platform, hooks: { run }, watch: { checks, figures } } as Services
  const services = unspreadable(all)
  /** Names of services in the order in which they were made: each after all it needs. */
  const made: string[] = []
  const making: string[] = []
  const declared = new Map<string, DefinedJob>()

  function provide(name: string, make: Make): void {
    if (name in all) throw new Error(`Two features provide ${name}`)
    Object.defineProperty(all, name, {
      configurable: true,
      get() {
        if (making.includes(name)) throw new Error([...making, name].join(' needs '))
        making.push(name)
        const value = make(services)
        making.pop()
        Object.defineProperty(all, name, { value, enumerable: true })
        made.push(name)
        return value
      },
    })
  }

  async function run<K extends keyof Hooks>(name: K, ...args: Parameters<Hooks[K]>): Promise<void> {
    for (const { hooks } of features) {
      const listen = hooks?.[name] as ((services: Services) => (...args: unknown[]) => Promise<void>) | undefined
      await listen?.(services)(...args)
    }
  }

  function checks(): Look[] {
    return features.flatMap(({ health }) => health?.(services) ?? [])
  }

  async function figures(): Promise<Figure[]> {
    const parts = await Promise.allSettled(features.map(async (feature) => feature.figures?.(services) ?? []))
    return parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : []))
  }

  const identifying = features.flatMap(({ identify: ask }) => (ask ? [ask] : []))
  async function identify(credentials: Credentials): Promise<Actor> {
    for (const ask of identifying) {
      const asked = ask(services, credentials)
      const actor = asked && (await asked)
      if (actor) return actor
      if (asked) break
    }
    return { kind: 'anonymous', address: credentials.address }
  }

  const provided = [
    ...Object.entries({ jobs: (late: Services) => jobs(late, declared), sweeper }),
    ...features.flatMap(({ provides }) => Object.entries(provides ?? {})),
  ] as [keyof Services, Make][]
  for (const [name, make] of provided) provide(name, make)
  for (const [name] of provided) void all[name]
  for (const job of features.flatMap((feature) => feature.jobs?.(services) ?? [])) {
    if (declared.has(job.kind)) throw new Error(`Two features declare the job ${job.kind}`)
    declared.set(job.kind, job)
  }

  const runs = features
    .flatMap((feature) => Object.entries(feature.runs ?? {}) as [string, (services: Services) => Run][])
    .toSorted(([a], [b]) => made.indexOf(a) - made.indexOf(b))
    .map(([, of]) => of(services))

  return {
    services: all,
    identify,
    callers: Object.assign({}, ...features.map(({ callers }) => callers?.(services))) as Callers,
    targets: Object.assign({}, ...features.map(({ targets }) => targets?.(services))) as Assembly['targets'],
    sockets: Object.assign({}, ...features.map(({ sockets }) => sockets?.(services))) as Assembly['sockets'],
    cookies: features.flatMap(({ cookies }) => cookies?.(services) ?? []),
    handlers: Object.assign({}, ...features.map(({ routes }) => routes?.(services))) as Assembly['handlers'],
    async adopt() {
      for (const one of runs) await one.adopt?.()
    },
    async start(isHost) {
      for (const one of runs) await one.start?.(isHost)
    },
    drain() {
      for (const one of runs) one.drain?.()
    },
    async stop() {
      for (const one of runs.toReversed()) await one.stop?.()
    },
  }
}
