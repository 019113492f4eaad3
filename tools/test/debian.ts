import { existsSync } from 'node:fs'
import { findPostgres } from './postgres.ts'
import { command, type Outcome } from '../check/steps.ts'

const needed = [
  { what: 'chromium', found: () => existsSync('/usr/bin/chromium-headless-shell') || existsSync('/usr/bin/chromium') },
  { what: 'postgresql', found: () => findPostgres() !== undefined },
  // Opens backups in the tests, as a person would by hand.
  { what: 'age', found: () => existsSync('/usr/bin/age') },
  // A broker of flows, in tests of deployments.
  { what: 'mosquitto', found: () => existsSync('/usr/sbin/mosquitto') },
]
const missing = () => needed.filter((one) => !one.found()).map((one) => one.what)

/** Finds the Debian packages that the tests use, or installs them when it may. */
export async function ensureDebianPackages(): Promise<Outcome> {
  const absent = missing()
  if (absent.length === 0) return { ok: true, output: '', note: needed.map((one) => one.what).join(', ') }
  const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}`
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return { ok: false, output: sentence }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const install = await command('apt-get', ['install', '-y', '--no-install-recommends', ...absent], { env })
  if (missing().length > 0) return { ok: false, output: `${sentence}\n${update.output}${install.output}` }
  return { ok: true, output: '', note: `installed ${absent.join(' and ')}` }
}
