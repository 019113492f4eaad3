import { existsSync } from 'node:fs'
import { chromiumShell, findChromium } from './chromium.ts'
import { findPostgres } from './postgres.ts'
import { command, type Outcome } from '../check/steps.ts'

interface Needed {
  /** The name of the package. */
  what: string
  found: () => boolean
  /** Does something else do as well, though slower, where nothing may be installed? */
  replaced?: () => boolean
}

const needed: Needed[] = [
  {
    what: 'chromium-headless-shell',
    found: () => existsSync(chromiumShell),
    replaced: () => findChromium() !== undefined,
  },
  { what: 'postgresql', found: () => findPostgres() !== undefined },
  // Opens backups in the tests, as a person would by hand.
  { what: 'age', found: () => existsSync('/usr/bin/age') },
  // The broker whose messages may neither be lost nor handled twice.
  { what: 'mosquitto', found: () => existsSync('/usr/sbin/mosquitto') },
]
const missing = () => needed.filter((one) => !one.found())
const names = (some: Needed[]) => some.map((one) => one.what)

/** Finds the Debian packages that the tests use, or installs them when it may. */
export async function ensureDebianPackages(): Promise<Outcome> {
  const absent = names(missing())
  if (absent.length === 0) return { ok: true, output: '', note: names(needed).join(', ') }
  const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const printed = mayInstall ? await install(absent) : ''
  const still = missing()
  if (!still.every((one) => one.replaced?.())) {
    const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}`
    return { ok: false, output: `${sentence}\n${printed}`.trim() }
  }
  const note = still.length > 0 ? `without ${names(still).join(' and ')}` : `installed ${absent.join(' and ')}`
  return { ok: true, output: '', note }
}

/** @returns what apt-get printed */
async function install(packages: string[]): Promise<string> {
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const installed = await command('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })
  return `${update.output}${installed.output}`
}
