import type { Takeover, TakeoverPlan } from '@app/contract'
import type { FlowsOpens, Released } from '@app/contract/instance-link'
import { DriverError, type Hold } from '../driver.ts'
import type { Judging, Passes } from './judging.ts'
import type { Judged } from './start.check.ts'

/** The counts of a takeover in which one version acts at a time. */
export type Counts = Pick<Takeover, 'gapMs' | 'late' | 'dropped'>
/** Notes the counts once one version acts in the place of the other. */
export type Tell = (counts: Counts) => Promise<void>

/** The part of a new version that is held until it takes over, by the way it does. */
export const holds: Partial<Record<TakeoverPlan['way'], Hold>> = { held: 'inputs', 'stop-first': 'flows' }
/** Options for judging a version while the other serves, and once it acts, since some faults show only then. */
export const judgings: Record<Hold, { beside: Judging; acting: Judging }> = {
  inputs: { beside: { share: 0.5, inputs: 'beside' }, acting: { share: 0.5 } },
  flows: { beside: { isBrief: true }, acting: {} },
}
/** Options for judging a version before it acts, when nothing else does: what waits looks like what does nothing. */
const alone: Judging = { share: 0, inputs: 'alone' }

/** The error of a new version that cannot listen where the one before does. */
export const notListening = (name: string) =>
  new DriverError('not_listening', `It cannot listen on ${name}, where the version before does.`)

/** A version that serves, and a new one that is to take over from it. */
export interface Versions {
  /** Starts the new one, which serves nobody yet. */
  begin(hold: Hold | undefined): Promise<void>
  /** The new one until it takes over, and afterwards. */
  trial: Judged
  acting: Judged
  /** Ends the new one, which has not taken over. */
  discard(): Promise<void>
  /** The open resources of the old one; undefined when it does not answer. */
  opens(): Promise<FlowsOpens | undefined>
  /** Sends the old one nothing more, and waits a moment for what it has in hand. */
  drain(): Promise<void>
  /** Stops the flows of the old one. Returns since when they do not act. */
  pause(): Promise<number>
  /** Starts the flows of the new one that were only loaded, with their inputs closed. */
  startHeld(): Promise<void>
  /** Does the change from one acting version to the other, while requests that nobody answers wait. */
  during(change: () => Promise<void>): Promise<void>
  /** From now on the new one serves, also after a kill of whoever runs this. */
  takeOver(): Promise<void>
  /** Lets the new one act. */
  release(since: number): Promise<Released>
  /** Ends the new one; the old one serves and acts again. False: another server does this by now. */
  giveBack(): Promise<boolean>
}

/**
 * Lets a new version take over from the one that serves, which still runs afterwards, for the caller to end.
 * @throws DriverError when the new one does not pass; the old one serves and acts then. What `begin` throws, too.
 */
export async function takeOver(
  way: Exclude<TakeoverPlan['way'], 'restart'>,
  versions: Versions,
  { passes, tell }: { passes: Passes; tell: Tell },
): Promise<void> {
  const hold = holds[way]
  /** Since when no flows act, and how long that was before. */
  let stillSince: number | undefined
  let gapMs = 0

  /** Stops the flows that serve. Returns since when they do not act, and their open listeners. */
  async function stopOld() {
    const before = await versions.opens()
    await versions.drain()
    const since = await versions.pause()
    stillSince = since
    return { since, listened: before?.listens ?? [] }
  }

  /** Lets the new flows act in the place of those that were stopped. @throws DriverError when they cannot. */
  async function act({ since, listened }: Awaited<ReturnType<typeof stopOld>>): Promise<void> {
    const { at, late, dropped, refused } = await versions.release(since)
    const lost = refused.find((name) => listened.includes(name))
    if (lost !== undefined) throw notListening(lost)
    gapMs += Math.max(0, at - since)
    stillSince = undefined
    await tell({ gapMs, late, dropped })
  }

  /** Lets one version act after the other. */
  async function change(by: Hold): Promise<void> {
    try {
      let stopped: Awaited<ReturnType<typeof stopOld>> | undefined
      if (by === 'flows') {
        stopped = await stopOld()
        await versions.startHeld()
        await passes(versions.trial, alone)
      }
      await versions.takeOver()
      await act(stopped ?? (await stopOld()))
      await passes(versions.acting, judgings[by].acting)
    } catch (error) {
      const still = stillSince ?? Date.now()
      if (await versions.giveBack()) await tell({ gapMs: gapMs + Math.max(0, Date.now() - still) })
      throw error
    }
  }

  try {
    await versions.begin(hold)
    await passes(versions.trial, hold && judgings[hold].beside)
  } catch (error) {
    await versions.discard()
    throw error
  }
  await (hold ? versions.during(async () => change(hold)) : versions.takeOver())
}

/** A version that was started with its inputs closed while nothing acts. */
export interface Held {
  judged: Judged
  release(since: number): Promise<Released>
}

/**
 * Judges a version for which nothing serves, and lets it act once it has passed. `since`: messages of its timers from
 * then on are delivered; `counted`: nothing has acted since, so the gap is counted.
 * @throws DriverError when it does not pass; it has not acted then.
 */
export async function actAlone(
  { judged, release }: Held,
  { since, counted, passes, tell }: { since: number; counted: boolean; passes: Passes; tell: Tell },
): Promise<void> {
  await passes(judged, alone)
  const { at, late, dropped } = await release(since)
  if (counted) await tell({ gapMs: Math.max(0, at - since), late, dropped })
}
