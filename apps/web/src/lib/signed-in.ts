import { readStored, writeStored } from './storage.ts'

/** Pieces of the console's code, as vite.config.ts names them. */
export type Piece = 'frame' | 'overlays' | 'shared' | 'account' | 'team' | 'admin'

const key = 'signed-in'

/**
 * Was somebody signed in here when this page was last open? No more than a guess: it decides what is fetched and drawn
 * before the server has answered. boot.js reads it too.
 */
export const wasSignedIn = (): boolean => readStored(key) === 'on'

/** Notes whether somebody is signed in, for the next load; who just signed in needs the frame and the team pages now. */
export function rememberSignedIn(on: boolean): void {
  if (on && !wasSignedIn()) prefetchPieces(['frame', 'overlays', 'shared', 'team'])
  writeStored(key, on ? 'on' : undefined)
  document.documentElement.dataset.boot = on ? 'app' : 'login'
}

/** Fetches pieces without running them, so that going there waits for data alone. */
function prefetchPieces(names: readonly Piece[]): void {
  const meta = document.querySelector<HTMLMetaElement>('meta[name=pieces]')
  if (!meta) return
  const files = JSON.parse(meta.content) as Partial<Record<Piece, string>>
  for (const name of names) {
    const href = files[name]
    if (!href || document.head.querySelector(`link[href="${href}"]`)) continue
    const link = Object.assign(document.createElement('link'), { rel: 'prefetch', as: 'script', href, crossOrigin: '' })
    document.head.append(link)
  }
}

/** The same once the browser has nothing else to do. Answers how to call it off. */
export function prefetchWhenIdle(names: readonly Piece[]): () => void {
  if (!('requestIdleCallback' in globalThis)) return () => undefined
  const handle = requestIdleCallback(() => prefetchPieces(names))
  return () => cancelIdleCallback(handle)
}
