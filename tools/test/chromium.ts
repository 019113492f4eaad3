import { chromium } from 'playwright-core'
import { findInPath, isProgram } from './programs.ts'

/**
 * The browser of the journeys: CHROME_PATH, else Chromium or Chrome in PATH, else the one that Playwright installed. The
 * shell of Chromium comes first: the same engine without a window, at half the work.
 */
export function findChromium(): string | undefined {
  const given = process.env.CHROME_PATH?.trim()
  if (given) return isProgram(given) ? given : undefined
  const found = findInPath(['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'chrome'])
  if (found) return found.path
  const own = chromium.executablePath()
  return isProgram(own) ? own : undefined
}
