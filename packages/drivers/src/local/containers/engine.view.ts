import { setTimeout as delay } from 'node:timers/promises'
import type { Engine } from './engine.ts'

const againMs = 500

interface Event {
  Action: string
  Actor: { ID: string }
}

/** Which containers run, as the engine tells it. What was known holds on while it does not answer. */
export interface View {
  isRunning(container: string): boolean
  /** It was started, or seen to run, just now. */
  started(container: string): void
  /** Resolves once it was asked for the first time, whether it has answered or not. */
  look(): Promise<void>
  close(): void
}

/** Follows the containers that have this label: first a list, then what happens. `onListed`: the engine is there (again). */
export function viewContainers(engine: Engine, label: string, onListed: () => Promise<void>): View {
  const ending = new AbortController()
  const first = Promise.withResolvers<void>()
  /** By id; when each was heard of. Of what is not among them nothing is known before the first list. */
  const running = new Map<string, number>()
  let wasListed = false
  let following: Promise<void> | undefined

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      await listen().catch(() => undefined)
      first.resolve()
      await delay(againMs, undefined, { ref: false, signal: ending.signal }).catch(() => undefined)
    }
  }

  /** Until the engine goes away. Events come from before the list on, so that none is missed between the two. */
  async function listen(): Promise<void> {
    const since = String(Math.floor(Date.now() / 1000))
    // Podman filters by a name of its own, and tells it as Docker does.
    const filters = JSON.stringify({ type: ['container'], event: ['die', 'died'], label: [label] })
    const events = engine.lines('GET', '/events', { query: { since, filters }, signal: ending.signal })
    await list()
    // A step that fails here fails again, with its reason, at the next start of an instance.
    await onListed().catch(() => undefined)
    first.resolve()
    for await (const { Action, Actor } of events as AsyncIterable<Event>) if (Action === 'die') running.delete(Actor.ID)
  }

  async function list(): Promise<void> {
    const from = performance.now()
    const query = { filters: JSON.stringify({ label: [label], status: ['running', 'paused'] }) }
    const found = await engine.ask<{ Id: string }[]>('GET', '/containers/json', { query })
    const ids = new Set(found.map(({ Id }) => Id))
    for (const [id, at] of running) if (at < from && !ids.has(id)) running.delete(id)
    for (const id of ids) running.set(id, from)
    wasListed = true
  }

  return {
    isRunning: (container) => running.has(container) || !wasListed,
    started: (container) => void running.set(container, performance.now()),
    look() {
      following ??= follow()
      return first.promise
    },
    close: () => ending.abort(),
  }
}
