import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Config, ConfigError, localUrl, readConfig } from '../config.ts'
import { freeOn } from '../platform/disk.ts'
import { checkOwner, HomeOfAnother } from '../home.owner.ts'
import { judgeOwn } from '../features/health/index.ts'
import { checkPort, faultOfPort } from '../platform/http/port.ts'
import type { TlsConfig } from '../config.tls.ts'
import { BadCertificate } from '../platform/tls/certificate.ts'
import { readCertificate } from '../platform/tls/files.ts'
import { checkFront } from '../platform/tls/front.ts'
import { lookAtAcme } from './check.acme.ts'
import { lookAtDatabase } from './check.database.ts'
import { lookAtNames } from './check.names.ts'
import type { Look } from './look.ts'
import { defaultHome } from './installed.ts'
import type { Shell } from './run.ts'

const mb = 1024 * 1024
/** Node-RED, its modules and the reserve. */
const neededMb = 1_000
/** Older ones do not know the options that keep modules from files and repositories of other people. */
const leastNpm = 11

const good = (part: string, seen: string): Look => ({ part, ok: true, seen })
const bad = (part: string, seen: string, todo: string): Look => ({ part, ok: false, seen, todo })

/** Looks at everything a start needs, and changes nothing. @returns the exit code: 1 if something is not right. */
export async function check(shell: Pick<Shell, 'env' | 'say'>): Promise<0 | 1> {
  const looks = await look(shell.env)
  for (const { part, ok, seen, todo } of looks) {
    shell.say(`${ok ? 'ok ' : 'not'}  ${part.padEnd(9)} ${seen}`)
    if (todo) shell.say(`${' '.repeat(15)}→ ${todo}`)
  }
  const wrong = looks.filter(({ ok }) => !ok).length
  const ready = looks.some(({ runs }) => runs)
    ? 'Everything is in order, and the server runs.'
    : 'Everything is ready: flowforge start'
  shell.say(wrong === 0 ? `\n${ready}` : `\n${wrong} of ${looks.length} to mend.`)
  return wrong === 0 ? 0 : 1
}

/** The same, as a list. The rest cannot be judged without settings that can be read. */
export async function look(env: Shell['env']): Promise<Look[]> {
  const programs = [nodeVersion(), npmVersion(env)]
  try {
    const config = readConfig(env)
    const given = Object.keys(env).filter((name) => isGiven(name, env[name])).length
    const runs = await isRunning(config)
    const ports = [await port(config, runs), ...(config.tls ? [await encryption(config.tls, config, runs)] : [])]
    const against = runs ? 'server' : ports.every(({ ok }) => ok) ? 'port' : 'nothing'
    return [
      good('settings', `${given} given, the rest by default. Data is in ${config.home}.`),
      ...programs,
      rights(config),
      disk(config),
      ...ports,
      ...(await lookAtAcme(config)),
      await lookAtDatabase(config),
      ...(await lookAtNames(config, against)),
    ]
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const todo = 'Correct it in the environment or in /etc/flowforge/flowforge.env. All settings: docs/settings.md'
    return [...error.problems.map((problem) => bad('settings', problem, todo)), ...programs]
  }
}

/** The command adds the default of FORGE_HOME by itself. */
const isGiven = (name: string, value = ''): boolean =>
  name.startsWith('FORGE_') && value.trim() !== '' && !(name === 'FORGE_HOME' && value === defaultHome())

function nodeVersion(): Look {
  const [major] = process.versions.node.split('.')
  return Number(major) >= 24
    ? good('node', process.versions.node)
    : bad('node', `${process.versions.node} is too old.`, 'Install Node.js 24 or newer.')
}

function npmVersion({ PATH, HOME }: Shell['env']): Look {
  const todo = 'Install npm 11: it installs modules, and versions of Node-RED other than the one that is included.'
  try {
    const version = execFileSync('npm', ['--version'], { env: { PATH, HOME }, encoding: 'utf8', stdio: 'pipe' }).trim()
    return Number.parseInt(version, 10) >= leastNpm ? good('npm', version) : bad('npm', `${version} is too old.`, todo)
  } catch {
    return bad('npm', 'npm is not installed, or not in PATH.', todo)
  }
}

/** The folder, or the nearest one above it that exists. */
const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)))

function rights({ home }: Config): Look {
  const folder = nearest(home)
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    checkOwner(home)
  } catch (error) {
    if (error instanceof HomeOfAnother) return bad('rights', `${home} belongs to somebody else.`, error.message)
    const todo = `Give the folder to the user of the server: sudo install -d -o <user> ${home}. Or set FORGE_HOME to another one.`
    return bad('rights', `User ${process.getuid?.()} may not write to ${folder}.`, todo)
  }
  return process.getuid?.() === 0
    ? good('rights', `${home} can be written; each instance runs as its own user.`)
    : good('rights', `${home} can be written. Instances run as this user: as root each has its own.`)
}

function disk({ home }: Config): Look {
  const free = Math.floor(freeOn(nearest(home)) / mb)
  return free >= neededMb
    ? good('disk', `${free} MB free for ${home}.`)
    : bad('disk', `${free} MB free for ${home}.`, `Free ${neededMb} MB there, or set FORGE_HOME to a larger disk.`)
}

async function port(config: Config, runs: boolean): Promise<Look> {
  if (runs) return { ...good('port', `${config.host}:${config.port}: the server runs.`), runs }
  try {
    await checkPort(config)
    return good('port', `${config.host}:${config.port} is free.`)
  } catch (error) {
    const why = faultOfPort(error, config) ?? String(error)
    const [seen = why, ...todo] = why.split(/(?<=\.) /)
    return bad('port', seen, todo.join(' '))
  }
}

const issuers = {
  local: 'The server signs its certificate itself.',
  acme: 'The server gets its certificates from an ACME server.',
}

async function encryption(tls: TlsConfig, config: Config, runs: boolean): Promise<Look> {
  const { source, port } = tls
  try {
    const { state, seen } =
      source.kind === 'files'
        ? judgeOwn({ certificate: readCertificate(source) }, namesIn(config), Date.now())
        : ({ state: 'ok', seen: issuers[source.kind] } as const)
    if (source.kind === 'files' && state === 'error')
      return bad('tls', seen, `Renew ${source.certFile} for the names below.`)
    if (!runs) await checkFront(tls)
    return good('tls', `HTTPS on port ${port}. ${seen}`)
  } catch (error) {
    if (error instanceof BadCertificate)
      return bad('tls', error.message, 'Correct FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE.')
    if (error instanceof ConfigError) return bad('tls', `HTTPS on port ${port} does not work.`, error.message)
    throw error
  }
}

async function isRunning(config: Config): Promise<boolean> {
  if (!existsSync(join(config.home, 'platform.pid'))) return false
  return fetch(`${localUrl(config)}/livez`, { signal: AbortSignal.timeout(3_000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Instances on ports of their own have the name of the console. */
const namesIn = ({ baseUrl, instanceDomain, instancePorts }: Config) => ({
  baseUrl,
  instanceDomain: instancePorts ? undefined : instanceDomain,
})
