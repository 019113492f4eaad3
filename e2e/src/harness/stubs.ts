import type { Page, Route } from 'playwright-core'

type Json = Record<string, unknown>

/** Changes what the platform's settings say to this page, such as a feature that is configured outside. */
export async function adjustSettings(page: Page, change: Json): Promise<void> {
  await adjust(page, '/api/v1/settings', (settings) => ({ ...settings, ...change }))
}

/** Changes every answer of GET calls to this path on the way to the page, until the page is closed or `unroute`d. */
export async function adjust(page: Page, path: string, change: (reply: Json) => Json): Promise<void> {
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      const response = await route.fetch()
      await route.fulfill({ response, json: change((await response.json()) as Json) })
    },
  )
}

/** Answers one kind of call in the platform's stead: a status with a JSON body, or with nothing to read in it. */
export async function answer(page: Page, call: `${string} ${string}`, status: number, json?: Json): Promise<void> {
  const [method, path] = call.split(' ')
  const reply = async (route: Route) =>
    route.request().method() === method
      ? route.fulfill({ status, ...(json ? { json } : { body: 'gone', contentType: 'text/plain' }) })
      : route.fallback()
  await page.route((url) => url.pathname === path, reply)
}
