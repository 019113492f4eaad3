import { addressOf } from '@app/client'
import { routeMap } from '@app/client/routes'
import type { PushEvent } from '@app/contract'
import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { keys } from './api-keys.ts'
import { applyEvent } from './realtime-patch.ts'

const firstWait = 1_000
const longestWait = 15_000

let live = false
const listeners = new Set<() => void>()

function setLive(next: boolean): void {
  if (next === live) return
  live = next
  for (const listener of listeners) listener()
}

/** Calls `listener` whenever pushing begins or ends, until the returned function is called. */
export function onLive(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const isLive = (): boolean => live

/** Does the platform push changes to this page just now? If not, pages ask at the intervals of the specification. */
export const useLive = (): boolean => useSyncExternalStore(onLive, isLive)

/**
 * Listens to the platform and keeps the query cache true until the returned function is called. `team` is the id of
 * the team whose pages are shown; without one the stream tells of all teams of the user.
 */
export function openStream(client: QueryClient, team?: string): () => void {
  let source: EventSource
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = firstWait

  const open = () => {
    source = new EventSource(addressOf(routeMap['events.stream'][1], {}, { team }))
    source.addEventListener('ready', () => {
      wait = firstWait
      setLive(true)
      // Data that was read before the stream began may have changed in between, as after any gap.
      void refresh(client)
    })
    source.addEventListener('gap', () => void refresh(client))
    source.addEventListener('message', ({ data }: MessageEvent<string>) =>
      applyEvent(client, JSON.parse(data) as PushEvent),
    )
    source.addEventListener('error', () => {
      setLive(false)
      // The platform ends the stream together with the session: asking who is there shows the login at once.
      void client.invalidateQueries({ queryKey: keys.user })
      // The browser reconnects by itself after a broken connection, but not after a refusal.
      if (source.readyState !== EventSource.CLOSED) return
      timer = setTimeout(open, wait)
      wait = Math.min(wait * 2, longestWait)
    })
  }
  open()
  return () => {
    clearTimeout(timer)
    source.close()
    setLive(false)
  }
}

function refresh(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [noun] }) =>
      ['team', 'application', 'instance', 'device', 'preview'].includes(noun as string),
  })
}
