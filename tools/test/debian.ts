import { existsSync } from 'node:fs'
import { findChromium } from './chromium.ts'
import { findPostgres } from './postgres.ts'
import { findInPath } from './programs.ts'
import { command, type Outcome } from '../check/steps.ts'

const needed = [
  { what: 'chromium', found: () => findChromium() !== undefined },
  { what: 'postgresql', found: () => findPostgres() !== undefined },
  // A directory for sign-ins by LDAP.
  { what: 'slapd', found: () => existsSync('/usr/sbin/slapd') },
  // Opens backups in the tests, as a person would by hand.
  { what: 'age', found: () => findInPath(['age']) !== undefined },
  // A broker of flows, in tests of deployments.
  { what: 'mosquitto', found: () => findInPath(['mosquitto']) !== undefined || existsSync('/usr/sbin/mosquitto') },
  // The proxies of the handbook, which the tests run with its very text.
  { what: 'nginx', found: () => findInPath(['nginx']) !== undefined || existsSync('/usr/sbin/nginx') },
  { what: 'caddy', found: () => findInPath(['caddy']) !== undefined },
]
const missing = () => needed.filter((one) => !one.found()).map((one) => one.what)

/** Finds the Debian packages that the tests use, or installs them when it may. */
export async function ensureDebianPackages(): Promise<Outcome> {
  const absent = missing()
  if (absent.length === 0) return { ok: true, output: '', note: needed.map((one) => one.what).join(', ') }
  const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}, or put the programs into PATH`
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return { ok: false, output: sentence }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const install = await command('apt-get', ['install', '-y', '--no-install-recommends', ...absent], { env })
  if (missing().length > 0) return { ok: false, output: `${sentence}\n${update.output}${install.output}` }
  return { ok: true, output: '', note: `installed ${absent.join(' and ')}` }
}
