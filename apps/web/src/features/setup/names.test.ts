import { afterEach, expect, test, vi } from 'vitest'
import { tryNames } from './names.ts'

afterEach(() => vi.unstubAllGlobals())

/** A browser in which asking for a page, and asking without reading the answer, end like this. */
function browser(readable: () => Promise<Response>, blind: () => Promise<Response> = readable) {
  const asked: string[] = []
  vi.stubGlobal('fetch', (address: string, { mode }: RequestInit) => {
    asked.push(address)
    return mode === 'no-cors' ? blind() : readable()
  })
  return asked
}
const refused = () => Promise.reject(new TypeError('Failed to fetch'))

test('names lead here when this platform says that there is no such instance', async () => {
  const asked = browser(async () => Response.json({ code: 'not_found' }, { status: 404 }))
  expect(await tryNames('https://*.apps.example.com:8443')).toBe('here')
  expect(asked).toEqual([expect.stringMatching(/^https:\/\/names-\d+\.apps\.example\.com:8443\/$/)])
})

test('a stranger is told apart from nobody', async () => {
  browser(refused, async () => Response.error())
  expect(await tryNames('http://*.apps.example.com')).toBe('elsewhere')
  browser(async () => Response.json({ hello: 'world' }))
  expect(await tryNames('http://*.apps.example.com')).toBe('elsewhere')
  browser(refused)
  expect(await tryNames('http://*.apps.example.com')).toBe('nowhere')
})
