import type { PushEvent } from '@app/contract'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Bus, BusEvent } from '../../platform/events/bus.ts'
import { heardWithin, type Watched } from './watched.ts'

/** One open stream. */
export interface Stream {
  actor: UserActor
  /** The team whose pages it shows; without one it hears of all teams of its user. */
  shows: string | undefined
  write(text: string): void
  end(): void
}

export interface StreamsDependencies {
  bus: Bus
  /** Which teams may each of these users watch, and what of each? Asked once for many streams. */
  watchedBy(userIds: string[]): Promise<Map<string, Map<string, Watched>>>
  /** Which of these are still signed in? Asked once for many streams. */
  stillSignedIn(actors: UserActor[]): Promise<Set<UserActor>>
}

/** Each team's events are written at most this often, together. Well below the half second in which a page follows. */
const pauseMs = 100
/** Checks that fall due within this time share their queries. */
const gatherMs = 500

const frameOf = (event: TeamEvent) => `data: ${JSON.stringify(event)}\n\n`
/** Says only that something changed: twice in one write it says nothing more. States are all told, in their order. */
const signs: ReadonlySet<string> = new Set(['team', 'audit', 'device', 'errors'] satisfies TeamEvent['type'][])
const isSign = ({ type }: TeamEvent) => signs.has(type)
/** Called once a stream has been checked and may go on, with all teams of its user. */
type After = (teams: ReadonlyMap<string, Watched>) => void
type TeamEvent = PushEvent
/** An event with the text that is written of it to those who hear everything. */
interface Told {
  event: TeamEvent
  frame: string
}

/**
 * Delivers events to the streams that may hear them. An event is serialised once, events of a team that come close
 * together are written as one, and checks of many streams cost as many queries as that of one.
 */
export function createStreams(deps: StreamsDependencies) {
  const all = new Map<Stream, Map<string, Watched>>()
  const byTeam = new Map<string, Set<Stream>>()
  const byUser = new Map<string, Set<Stream>>()
  const waiting = new Map<string, Told[]>()
  let due = new Map<Stream, After[]>()
  let gathering: NodeJS.Timeout | undefined
  let checking = Promise.resolve()

  function watch(stream: Stream, teams: ReadonlyMap<string, Watched>): void {
    const before = all.get(stream)
    if (!before) return
    const { shows, actor } = stream
    const now = new Map([...teams].filter(([team]) => shows === undefined || team === shows))
    if (actor.admin) for (const team of ['platform', ...(shows === undefined ? [] : [shows])]) now.set(team, 'all')
    for (const team of before.keys()) if (!now.has(team)) remove(byTeam, team, stream)
    for (const team of now.keys()) add(byTeam, team, stream)
    all.set(stream, now)
  }

  /** Writes what a team's streams have not been told yet, then waits before it does so again. */
  function flush(team: string): void {
    const told = waiting.get(team)!
    if (told.length === 0) return void waiting.delete(team)
    const text = told.map(({ frame }) => frame).join('')
    for (const stream of byTeam.get(team) ?? []) {
      const watched = all.get(stream)?.get(team)
      if (watched === 'all') stream.write(text)
      else if (watched) writeWithin(stream, { team, watched }, told)
    }
    told.length = 0
    setTimeout(flush, pauseMs, team).unref()
  }

  /** Writes to a stream of a limited member what is within their reach, and asks for that anew where it may have changed. */
  function writeWithin(
    stream: Stream,
    { team, watched }: { team: string; watched: Set<string> },
    told: readonly Told[],
  ): void {
    const heard = told.flatMap(({ event }) => heardWithin(event, watched, stream.actor.userId) ?? [])
    if (heard.length > 0) stream.write(heard.map(frameOf).join(''))
    const devices = told.flatMap(({ event }) => (event.type === 'device' && !watched.has(event.id) ? [event] : []))
    if (devices.length === 0 && !told.some(({ event }) => event.type === 'team' || event.type === 'device')) return
    schedule(stream, false, (teams) => {
      const now = teams.get(team)
      const come = devices.filter(({ id }) => now instanceof Set && now.has(id))
      if (come.length > 0) stream.write(come.map(frameOf).join(''))
    })
  }

  function tell(event: TeamEvent): void {
    if (!byTeam.has(event.team)) return
    const frame = frameOf(event)
    const told = waiting.get(event.team)
    if (!told) {
      waiting.set(event.team, [{ event, frame }])
      setImmediate(flush, event.team)
    } else if (!isSign(event) || !told.some((each) => each.frame === frame)) told.push({ event, frame })
  }

  /** Ends streams whose user may not listen any more, and reads anew which teams the others watch. */
  async function check(streams: Map<Stream, After[]>): Promise<void> {
    const open = [...streams.keys()].filter((stream) => all.has(stream))
    if (open.length === 0) return
    const signedIn = await deps.stillSignedIn(open.map(({ actor }) => actor))
    const watched = await deps.watchedBy([...new Set([...signedIn].map(({ userId }) => userId))])
    for (const stream of open) {
      if (!signedIn.has(stream.actor)) {
        stream.end()
        continue
      }
      const mine = watched.get(stream.actor.userId) ?? new Map<string, Watched>()
      watch(stream, mine)
      for (const after of streams.get(stream)!) after(mine)
    }
  }

  /** Checks what is due. One check follows the other, or what an earlier one has read would replace what a later one has. */
  function checkDue(): void {
    gathering = undefined
    checking = checking.then(async () => {
      const streams = due
      due = new Map()
      await check(streams).catch(() => {
        // While the database cannot be asked, streams stay as they are until the next heartbeat. A browser that waits to
        // be told something connects again instead, and then reads everything.
        for (const [stream, after] of streams) if (after.length > 0) stream.end()
      })
    })
  }

  /** Checks a stream together with others; `soon` does not wait for more of them. */
  function schedule(stream: Stream, soon: boolean, ...after: After[]): void {
    due.set(stream, [...(due.get(stream) ?? []), ...after])
    if (soon) clearTimeout(gathering)
    else if (gathering) return
    gathering = setTimeout(checkDue, soon ? 0 : gatherMs).unref()
  }

  function hear(event: BusEvent): void {
    if (event.type === 'session') for (const stream of byUser.get(event.user) ?? []) schedule(stream, true)
    if (event.type === 'reach')
      for (const stream of all.keys()) if (event.users?.includes(stream.actor.userId) ?? true) schedule(stream, true)
    if (!('team' in event)) return
    if (event.type === 'team' && event.member !== undefined)
      for (const stream of byUser.get(event.member) ?? []) {
        // A removed member hears nothing more; a new one is told as soon as the team is known to be theirs.
        all.get(stream)?.delete(event.team)
        remove(byTeam, event.team, stream)
        schedule(stream, true, (teams) => {
          if (teams.has(event.team)) stream.write(frameOf(event))
        })
      }
    tell(event)
  }

  const stops = [
    deps.bus.subscribe(hear),
    deps.bus.onGap(() => {
      for (const stream of all.keys()) {
        stream.write('event: gap\ndata: {}\n\n')
        schedule(stream, true)
      }
    }),
  ]

  return {
    /**
     * Lets a stream hear of what it may see, and calls `ready` from when on it does. Its session is checked only now
     * that the end of it would be heard: it may have ended since the request was let in. Returns what takes the stream
     * out again.
     */
    add(stream: Stream, ready: () => void): () => void {
      all.set(stream, new Map())
      add(byUser, stream.actor.userId, stream)
      schedule(stream, true, ready)
      return () => {
        for (const team of all.get(stream)?.keys() ?? []) remove(byTeam, team, stream)
        remove(byUser, stream.actor.userId, stream)
        all.delete(stream)
      }
    },
    beat: (stream: Stream) => schedule(stream, false),
    close(): void {
      clearTimeout(gathering)
      for (const stop of stops) stop()
      for (const stream of all.keys()) stream.end()
    },
  }
}

function add<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key)
  if (values) values.add(value)
  else index.set(key, new Set([value]))
}

function remove<T>(index: Map<string, Set<T>>, key: string, value: T): void {
  const values = index.get(key)
  values?.delete(value)
  if (values?.size === 0) index.delete(key)
}
