import { existsSync } from 'node:fs'
import { findChromium } from './chromium.ts'
import { findPostgres } from './postgres.ts'
import { findInPath } from './programs.ts'
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
    found: () => Boolean(process.env.CHROME_PATH) || findInPath(['chromium-headless-shell']) !== undefined,
    replaced: () => findChromium() !== undefined,
  },
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
const missing = () => needed.filter((one) => !one.found())
const names = (some: Needed[]) => some.map((one) => one.what)

/** Finds the Debian packages that the tests use, or installs them when it may. */
export async function ensureDebianPackages(): Promise<Outcome> {
  const absent = names(missing())
  if (absent.length === 0) return { ok: true, output: '', note: names(needed).join(', ') }
  const lacking = () => names(missing().filter((one) => !one.replaced?.()))
  const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}, or put the programs into PATH`
  const slower = { ok: true, output: '', note: `without ${absent.join(' and ')}` }
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return lacking().length === 0 ? slower : { ok: false, output: sentence }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const install = await command('apt-get', ['install', '-y', '--no-install-recommends', ...absent], { env })
  if (lacking().length > 0) return { ok: false, output: `${sentence}\n${update.output}${install.output}` }
  return missing().length > 0 ? slower : { ok: true, output: '', note: `installed ${absent.join(' and ')}` }
}
