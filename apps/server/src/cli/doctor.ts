import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { arch, cpus, release, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { tokenKinds } from '@app/contract/token-kinds'
import { fileSuffix } from '../config.files.ts'
import { localUrl, readConfig, settings } from '../config.ts'
import { keyFileOf } from '../platform/keys/key.file.ts'
import { version } from '../version.ts'
import { look } from './check.ts'
import type { Shell } from './run.ts'

const logLines = 500
const logBytes = 512 * 1024
const journalBytes = 64 * 1024 ** 2
const shown = '<secret>'
const withAccount = /(:\/\/)[^/\s@"]+@/g
const headers = /((?:authorization|cookie)\s*[:=])[^\n]*/gi
/** Up to the closing quote; without one, the rest of the line, because a passphrase may have several words. */
const named =
  /((?:pass(?:word|phrase)?|secret|token|authorization|cookie|api[-_]?key)\\*["']?\s*[:=]\s*)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\n]+)/gis
const tokens = new RegExp(`\\b(?:${Object.keys(tokenKinds).join('|')})_[A-Za-z0-9_-]{8,}`, 'g')

/**
 * Writes a file that helps support: versions, settings without the values of secrets, checks, sizes and the end of the
 * log. @returns the exit code.
 */
export async function doctor(
  { env, folder, say }: Pick<Shell, 'env' | 'folder' | 'say'>,
  file = `flowforge-doctor-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.json`,
  log?: string,
): Promise<0 | 1> {
  const path = resolve(folder, file)
  if (existsSync(path)) {
    say(`${path} exists already.`)
    return 1
  }
  const clean = cleaner(env)
  const bundle = {
    made: new Date().toISOString(),
    versions: {
      flowforge: version,
      node: process.version,
      npm: versionOf('npm'),
      kernel: release(),
      system: systemName(),
    },
    machine: {
      cpu: cpus()[0]?.model,
      cores: cpus().length,
      arch: arch(),
      memoryMb: Math.round(totalmem() / 1024 ** 2),
    },
    user: process.getuid?.() === 0 ? 'root' : 'not root',
    settings: settingsOf(env),
    checks: await look(env).catch((error: unknown) => [{ part: 'checks', ok: false, seen: String(error) }]),
    server: await serverState(env),
    sizes: orFault(() => sizesOf(env.FORGE_HOME)),
    log: log === undefined ? journal() : orFault(() => endOf(resolve(folder, log))),
  }
  const text = JSON.stringify(bundle, (_key, value: unknown) => (typeof value === 'string' ? clean(value) : value), 2)
  try {
    writeFileSync(path, `${text}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    say(`${path} cannot be written (${(error as Error).message}). Give another file: flowforge doctor <file>`)
    return 1
  }
  say(`Written: ${path}. It holds no passwords, keys or tokens; read it before you send it.`)
  return 0
}

/** Returns what is found, or why it cannot be read: one part must not cost the others. */
function orFault<T>(find: () => T): T | string {
  try {
    return find()
  } catch (error) {
    return `Cannot be read: ${(error as Error).message}`
  }
}

/** Takes out of a text whatever may be a secret: those of this platform by their values, others by their looks. */
function cleaner(env: Shell['env']): (text: string) => string {
  const values = secretsOf(env)
  return (text) => {
    const without = values.reduce((rest, value) => rest.replaceAll(value, shown), text)
    const unnamed = without.replace(headers, `$1 ${shown}`).replace(named, `$1${shown}`)
    return unnamed.replace(withAccount, `$1${shown}@`).replace(tokens, shown)
  }
}

/** The longest first, because one may be part of another. */
function secretsOf(env: Shell['env']): string[] {
  const given = Object.entries(settings).flatMap(([name, { secret }]) =>
    secret ? [env[name], textOf(env[`${name}${fileSuffix}`])] : [],
  )
  const all = [...given, env.FORGE_HOME && textOf(keyFileOf(env.FORGE_HOME))].flatMap((value) => {
    const text = value?.trim()
    return text ? [text, ...passwordIn(text)] : []
  })
  return [...new Set(all)].filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length)
}

/** The passwords in an address with an account, as written and decoded. */
function passwordIn(text: string): string[] {
  const password = URL.canParse(text) ? new URL(text).password : ''
  if (!password) return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

function textOf(path: string | undefined): string | undefined {
  try {
    return path === undefined ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const isPlain = (name: string) => settings[name] !== undefined && !settings[name].secret

/** Keeps the target of an address only: a query may hold a key. */
const plainValue = (value: string) => (/^https?:/.test(value) ? value.replace(/[?#].*$/, '') : value)

function settingsOf(env: Shell['env']): Record<string, string> {
  const given = Object.entries(env).filter(([name, value]) => name.startsWith('FORGE_') && value)
  return Object.fromEntries(given.map(([name, value]) => [name, isPlain(name) ? plainValue(value!) : '<set>']))
}

async function serverState(env: Shell['env']): Promise<string> {
  try {
    const reply = await fetch(`${localUrl(readConfig(env))}/readyz`, { signal: AbortSignal.timeout(5_000) })
    return `${reply.status} ${await reply.text()}`
  } catch (error) {
    return `no answer: ${(error as Error).message}`
  }
}

/** Bytes in each folder of the platform, and how many instances there are. */
function sizesOf(home: string | undefined): Record<string, number> {
  if (!home || !existsSync(home)) return {}
  const parts = readdirSync(home).map((name) => [name, bytesIn(join(home, name))] as const)
  // A container that waits for an instance has a folder there too, and a note of its name.
  const isInstance = (name: string) => !existsSync(join(home, 'warm', `${name}.json`))
  const folders = existsSync(join(home, 'instances')) ? readdirSync(join(home, 'instances')) : []
  return { ...Object.fromEntries(parts), 'number of instances': folders.filter(isInstance).length }
}

function bytesIn(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return found?.size ?? 0
  try {
    const inside = readdirSync(path, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
    return inside.reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  } catch {
    return 0
  }
}

/** The service's log; a server run in another way writes its log where the person sends it. */
function journal(): string[] {
  try {
    const args = ['-u', 'flowforge', '-n', String(logLines), '--no-pager', '-o', 'cat']
    return execFileSync('journalctl', args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: journalBytes })
      .trim()
      .split('\n')
  } catch {
    return ['There is no log of a service here. Add one with --log <file>.']
  }
}

function endOf(path: string): string[] {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = Buffer.alloc(Math.min(size, logBytes))
    readSync(file, bytes, 0, bytes.length, size - bytes.length)
    const lines = bytes.toString('utf8').trim().split('\n')
    // A line cut off at its beginning may be the end of a secret whose name is gone.
    return (size > logBytes ? lines.slice(1) : lines).slice(-logLines)
  } finally {
    closeSync(file)
  }
}

function versionOf(program: string): string {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return 'not found'
  }
}

const systemName = () => /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf('/etc/os-release') ?? '')?.[1] ?? 'unknown'
