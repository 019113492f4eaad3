import { type Browser, type BrowserContext, chromium, type ConsoleMessage, type Page } from 'playwright-core'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { findChromium } from '../../../tools/test/chromium.ts'
import type { Platform } from './platform.ts'
import type { Person } from './people.ts'
import { screenshots } from './shot.ts'

const executablePath = findChromium()

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  // Everything is drawn by the processor, so a process of its own for it only copies.
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser of its own with one page. */
export interface Visitor {
  context: BrowserContext
  page: Page
  /** Messages matching this pattern are part of what the journey shows, until the end of the test. */
  expectProblem(pattern: RegExp): void
}

export interface Visitors {
  /** A new visitor, signed in as this person if one is given; closed with the test that opened it. */
  open(platform: Pick<Platform, 'url'>, person?: Person): Promise<Visitor>
}

/** Closes a context; a call that a `route` of its pages still answers ends with it and is no error of the test. */
async function leave(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
}

/**
 * Visitors for one journey file. After each test, errors that pages of the console logged, failed scripts and breaches of
 * the content security policy fail it. What an editor logs is Node-RED's own.
 */
export function useVisitors(): Visitors {
  let browser: Browser | undefined
  const problems: string[] = []
  let expected: RegExp[] = []
  /** The contexts of the running test. */
  let opened: BrowserContext[] | undefined

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: flags })
  })
  beforeEach(() => {
    opened = []
  })
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await picture(browser, task.name)
    await Promise.all(opened!.map(leave))
    opened = undefined
    const unexpected = problems.filter((text) => !expected.some((pattern) => pattern.test(text)))
    problems.length = 0
    expected = []
    if (unexpected.length > 0) throw new Error(`The console of the browser shows errors:\n${unexpected.join('\n')}`)
  })
  afterAll(async () => {
    await browser?.close()
  })

  return {
    async open(platform, person) {
      if (!browser) throw new Error('The browser was not started')
      const context = await browser.newContext({
        baseURL: platform.url,
        viewport: { width: 1440, height: 900 },
        // A click waits for what moves to stand still.
        reducedMotion: 'reduce',
      })
      opened?.push(context)
      context.setDefaultTimeout(30_000)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: platform.url })
      if (person) {
        const [name = '', value = ''] = person.cookie.split('=')
        await context.addCookies([{ name, value, url: platform.url, httpOnly: true, sameSite: 'Lax' }])
      }
      context.on('console', (message) => {
        const text = problemOf(message, platform.url)
        if (text) problems.push(text)
      })
      context.on('weberror', (error) => {
        if (error.page()?.url().startsWith(platform.url)) problems.push(error.error().stack ?? error.error().message)
      })
      const page = await context.newPage()
      return { context, page, expectProblem: (pattern) => void expected.push(pattern) }
    },
  }
}

/** Keeps a picture of every visitor's page when a test failed. */
async function picture(browser: Browser | undefined, test: string): Promise<void> {
  const pages = browser?.contexts().flatMap((context) => context.pages()) ?? []
  const name = test.replace(/\W+/g, '-').slice(0, 80)
  for (const [index, page] of pages.entries())
    await page.screenshot({ path: join(screenshots, `failed-${name}-${index}.png`) })
}

/** Refusals with a 4xx status are answers; browsers log them as errors all the same. */
function problemOf(message: ConsoleMessage, console: string): string | undefined {
  const { url } = message.location()
  if (message.type() !== 'error' || !url.startsWith(console)) return undefined
  if (/the server responded with a status of 4\d\d/.test(message.text())) return undefined
  return `${message.text()} (${url})`
}
