import type { Session, Subscription } from './session.ts'

/** Members of a shared subscription, which take turns. */
interface Group {
  members: Map<Session, Subscription>
  turn: number
}

interface Entry {
  sessions?: Map<Session, Subscription>
  groups?: Map<string, Group>
}

interface Level extends Entry {
  levels?: Map<string, Level>
}

/** Sessions, each with the subscriptions by which it gets a copy. */
export type Receivers = Map<Session, readonly Subscription[]>

/** Group and filter of a shared subscription; a plain one has no group. */
export function sharedOf(filter: string): { group?: string; filter: string } {
  const [, group, plain] = /^\$share\/([^/]+)\/(.+)$/.exec(filter) ?? []
  return group === undefined || plain === undefined ? { filter } : { group, filter: plain }
}

/** Finds the subscribers of a topic. Filters without wildcards, by far the most, are one map. */
export class Subscriptions {
  readonly #exact = new Map<string, Entry>()
  readonly #root: Level = {}

  add(session: Session, name: string, subscription: Subscription): void {
    const { group, filter } = sharedOf(name)
    const entry = this.#entry(filter)
    if (group === undefined) {
      entry.sessions ??= new Map()
      entry.sessions.set(session, subscription)
      return
    }
    entry.groups ??= new Map()
    const known = entry.groups.get(group) ?? { members: new Map(), turn: 0 }
    known.members.set(session, subscription)
    entry.groups.set(group, known)
  }

  remove(session: Session, name: string): void {
    const { group, filter } = sharedOf(name)
    const entry = isPlain(filter) ? this.#exact.get(filter) : this.#entry(filter)
    if (!entry) return
    if (group === undefined) entry.sessions?.delete(session)
    else {
      const known = entry.groups?.get(group)
      known?.members.delete(session)
      if (known?.members.size === 0) entry.groups?.delete(group)
    }
    if (isEmpty(entry)) {
      if (isPlain(filter)) this.#exact.delete(filter)
      else prune(this.#root, filter.split('/'), 0)
    }
  }

  /**
   * Each session once, with the highest QoS that it asked for; of a group one member. A session whose subscriptions
   * have different identifiers gets a copy for each of these.
   */
  match(topic: string, from: Session | undefined): Receivers {
    const found: Receivers = new Map()
    collect(this.#exact.get(topic), found, from)
    walk(this.#root, topic.split('/'), 0, (entry) => collect(entry, found, from))
    return found
  }

  #entry(filter: string): Entry {
    if (isPlain(filter)) {
      const known = this.#exact.get(filter) ?? {}
      this.#exact.set(filter, known)
      return known
    }
    let level = this.#root
    for (const name of filter.split('/')) {
      level.levels ??= new Map()
      const next = level.levels.get(name) ?? {}
      level.levels.set(name, next)
      level = next
    }
    return level
  }
}

const isPlain = (filter: string) => !/[+#]/.test(filter)
const isEmpty = ({ sessions, groups }: Entry) => (sessions?.size ?? 0) === 0 && (groups?.size ?? 0) === 0

function prune(level: Level, names: readonly string[], at: number): void {
  const name = names[at]
  const next = name === undefined ? undefined : level.levels?.get(name)
  if (!next) return
  prune(next, names, at + 1)
  if (isEmpty(next) && (next.levels?.size ?? 0) === 0) level.levels?.delete(name!)
}

function walk(level: Level, names: readonly string[], at: number, found: (entry: Entry) => void): void {
  const rest = level.levels?.get('#')
  if (rest) found(rest)
  if (at === names.length) return found(level)
  for (const name of [names[at]!, '+']) {
    const next = level.levels?.get(name)
    if (next) walk(next, names, at + 1, found)
  }
}

function collect(entry: Entry | undefined, found: Receivers, from: Session | undefined): void {
  for (const [session, subscription] of entry?.sessions ?? []) add(found, session, subscription, from)
  for (const group of entry?.groups?.values() ?? []) {
    const members = [...group.members]
    // Members that are connected come first: others may never come back.
    const here = members.filter(([session]) => session.link)
    const choice = here.length > 0 ? here : members
    const chosen = choice[group.turn++ % choice.length]
    if (chosen) add(found, ...chosen, from)
  }
}

function add(found: Receivers, session: Session, subscription: Subscription, from: Session | undefined): void {
  if (subscription.noLocal && session === from) return
  const known = found.get(session)
  if (!known) return void found.set(session, [subscription])
  const same = known.find(({ identifier }) => identifier === subscription.identifier)
  if (!same) found.set(session, [...known, subscription])
  else if (same.qos < subscription.qos)
    found.set(
      session,
      known.map((one) => (one === same ? subscription : one)),
    )
}
