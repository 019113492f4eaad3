import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { chownSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { findInPath } from './programs.ts'

const run = promisify(execFile)
const startSeconds = 30

/** The folder of PostgreSQL's server programs: the newest that Debian installed, else those in PATH, or undefined. */
export function findPostgres(): string | undefined {
  const version = (path: string) => Number(path.split('/')[4])
  const [newest] = globSync('/usr/lib/postgresql/*/bin/initdb').sort((a, b) => version(b) - version(a))
  return newest ? dirname(newest) : findInPath(['initdb'])?.folder
}

export type Cluster = {
  /** Reaches the database `postgres`, through a socket in a private folder. */
  url: string
  stop: () => Promise<void>
}

/** For tests that kill servers of ours, and never PostgreSQL or the machine. */
const forgetful = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off', 'autovacuum=off', 'jit=off']

/**
 * Starts an empty PostgreSQL in a temporary folder. Unless told otherwise it writes as durably as a real one.
 * However this process ends, also by kill -9, the cluster stops and its folder goes.
 * @throws Error when PostgreSQL is not installed or does not start.
 */
export async function startPostgres({ durable = true } = {}): Promise<Cluster> {
  const bin = findPostgres()
  if (!bin) throw new Error('PostgreSQL is not installed: apt-get install postgresql, or put its programs into PATH')
  const home = mkdtempSync(join(tmpdir(), 'forge-pg-'))
  const owner = serverUser()
  if (owner) chownSync(home, owner.uid, owner.gid)
  const data = join(home, 'data')
  try {
    const options = ['--username=forge', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-instructions']
    await run(join(bin, 'initdb'), [...options, '-D', data], { ...owner, cwd: home })
  } catch (error) {
    rmSync(home, { recursive: true, force: true })
    throw error
  }
  const settings = ['listen_addresses=', 'max_connections=200', `unix_socket_directories=${home}`]
  if (!durable) settings.push(...forgetful)
  const server = [join(bin, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
  // The shell waits for the end of its input, which comes when this process stops or dies.
  const guard = '"$@" & cat >/dev/null; kill -INT $!; wait $!; cd /; rm -rf "$0"'
  const child = spawn('/bin/sh', ['-c', guard, home, ...server], {
    ...owner,
    cwd: home,
    // Not in the terminal's group: Ctrl-C must not end the guard before its work.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (part: Buffer) => (log = (log + part.toString()).slice(-5000)))
  const stop = () => stopped(child)
  const url = `postgres://forge@localhost/postgres?host=${home}`
  for (const deadline = Date.now() + startSeconds * 1000; ; await pause(50)) {
    const ready = await run(join(bin, 'pg_isready'), ['-q', '-d', url]).then(
      () => true,
      () => false,
    )
    if (ready) return { url, stop }
    if (Date.now() < deadline && !log.includes('database system is shut down')) continue
    await stop()
    throw new Error(`PostgreSQL did not start:\n${log}`)
  }
}

/**
 * Makes a new database in a cluster and returns its address.
 * @param template name of a database nobody is connected to, whose tables and rows the new one gets.
 */
export async function createDatabase(
  clusterUrl: string,
  name = `test_${crypto.randomUUID().replaceAll('-', '')}`,
  template = 'template0',
): Promise<string> {
  const client = new pg.Client({ connectionString: clusterUrl })
  try {
    await client.connect()
    // Copying files costs less than writing what they hold into the log.
    await client.query(`create database "${name}" template "${template}" strategy file_copy`)
  } finally {
    await client.end()
  }
  const url = new URL(clusterUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Drops what `createDatabase` made in a cluster under names of its own choice. */
export async function dropDatabases(clusterUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: clusterUrl })
  try {
    await client.connect()
    const query = `select datname from pg_database where datname ~ '^test_[0-9a-f]{32}$'`
    for (const { datname } of (await client.query<{ datname: string }>(query)).rows)
      await client.query(`drop database if exists "${datname}" with (force)`)
  } finally {
    await client.end()
  }
}

/** PostgreSQL refuses to run as root, and Debian's package makes a user for it. */
export function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
  return { uid: id('-u'), gid: id('-g') }
}

async function stopped(child: ChildProcess): Promise<void> {
  const end = new Promise((done) => child.once('close', done))
  child.stdin?.end()
  if (child.exitCode === null) await end
}
