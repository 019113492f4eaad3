import { existsSync } from 'node:fs'

/** Debian's Chromium without a window: the same engine, and less work for the processors. */
export const chromiumShell = '/usr/bin/chromium-headless-shell'

/** The browser of journeys and measures: the shell of Chromium where it is installed, else Chromium; undefined: neither is. */
export function findChromium(): string | undefined {
  return [chromiumShell, '/usr/bin/chromium'].find((path) => existsSync(path))
}
