import { existsSync } from 'node:fs'
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
    // The same engine without a window: the journeys need less of the processors.
    what: 'chromium-headless-shell',
    found: () => existsSync('/usr/bin/chromium-headless-shell'),
    replaced: () => existsSync('/usr/bin/chromium'),
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
  const lacking = () => names(missing().filter((one) => !one.replaced?.()))
  const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}`
  const slower = { ok: true, output: '', note: `without ${absent.join(' and ')}` }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return lacking().length === 0 ? slower : { ok: false, output: sentence }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const install = await command('apt-get', ['install', '-y', '--no-install-recommends', ...absent], { env })
  if (lacking().length > 0) return { ok: false, output: `${sentence}\n${update.output}${install.output}` }
  return missing().length > 0 ? slower : { ok: true, output: '', note: `installed ${absent.join(' and ')}` }
}
