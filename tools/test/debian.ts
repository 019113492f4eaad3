import { existsSync, globSync } from 'node:fs'
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
  /** More packages, before it, so that smaller ones come with it than otherwise. */
  before?: string[]
  /** Not every release of Debian has it. Tests that need it are left out without it, and the list of tests says so. */
  optional?: boolean
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
  // A SAML provider. PHP comes with Apache unless it has its CGI already; the tests need neither.
  {
    what: 'simplesamlphp',
    before: ['php-cgi', 'php-cli', 'php-xml'],
    // It may be there without the part of PHP that writes its metadata.
    found: () =>
      existsSync('/usr/share/simplesamlphp/www') &&
      existsSync('/usr/bin/php') &&
      globSync('/usr/lib/php/*/dom.so').length > 0,
    optional: true,
  },
  // The ACME server that Let's Encrypt tests clients with.
  { what: 'pebble', found: () => findInPath(['pebble']) !== undefined, optional: true },
  // A broker of flows, in tests of deployments, and one whose users the platform writes.
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
  const lacking = () => names(missing().filter((one) => !one.optional && !one.replaced?.()))
  const sentence = `The tests need ${absent.join(' and ')}: apt-get install ${absent.join(' ')}, or put the programs into PATH`
  const without = () => ({ ok: true, output: '', note: `without ${names(missing()).join(' and ')}` })
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    return lacking().length === 0 ? without() : { ok: false, output: sentence }
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await command('apt-get', ['update'], { env })
  const install = async (some: Needed[]) => {
    const packages = some.flatMap(({ what, before = [] }) => [...before, what])
    if (packages.length === 0) return ''
    return (await command('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env })).output
  }
  // One that this release does not have would keep the others from being installed.
  let output = await install(missing().filter(({ optional }) => !optional))
  for (const one of missing().filter(({ optional }) => optional)) output += await install([one])
  if (lacking().length > 0) return { ok: false, output: `${sentence}\n${update.output}${output}` }
  return missing().length > 0 ? without() : { ok: true, output: '', note: `installed ${absent.join(' and ')}` }
}
