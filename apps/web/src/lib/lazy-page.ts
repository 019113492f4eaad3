import { type AsyncRouteComponent, lazyRouteComponent } from '@tanstack/react-router'
import { NetworkError, api } from './api.ts'
import { wasSignedIn } from './signed-in.ts'
import { setOffline, whenOnline } from './api-offline.ts'

/**
 * A page that arrives with a piece of code of its own. While the server is away the wait goes on behind the offline
 * screen; a piece that a new version of the console no longer has makes the router load the whole anew.
 */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
): AsyncRouteComponent<object> {
  const patient = async () => {
    try {
      return await load()
    } catch (error) {
      if (await answers()) throw error
      setOffline(true)
      await whenOnline()
      return load()
    }
  }
  const page = lazyRouteComponent(patient as () => Promise<Record<string, AsyncRouteComponent<object>>>, name)
  // The router fetches the page of an address before it is shown. Behind the login that would be for nobody.
  const { preload } = page
  page.preload = async () => (wasSignedIn() ? preload?.() : undefined)
  return page
}

const answers = () =>
  api.call('settings.get').then(
    () => true,
    (error: unknown) => !(error instanceof NetworkError),
  )
