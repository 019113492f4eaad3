import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createDatabase, findPostgres, startPostgres } from './postgres.ts'

const ask = (url: string, query: string) =>
  execFileSync(`${findPostgres()}/psql`, ['-At', '-d', url, '-c', query]).toString().trim()
const folderOf = (url: string) => new URL(url).searchParams.get('host') ?? ''

test('a cluster writes durably, holds databases made from a template, and leaves nothing behind', async () => {
  const cluster = await startPostgres()
  onTestFinished(cluster.stop)
  expect(ask(cluster.url, 'show fsync')).toBe('on')
  ask(await createDatabase(cluster.url, 'model'), 'create table cake (name text)')
  const copies = await Promise.all([1, 2].map(() => createDatabase(cluster.url, undefined, 'model')))
  for (const copy of copies) expect(ask(copy, 'select count(*) from cake')).toBe('0')
  await cluster.stop()
  expect(existsSync(folderOf(cluster.url))).toBe(false)
}, 60_000)

test('a cluster ends with the process that started it, even when that is killed', async () => {
  const code = "import { startPostgres } from './tools/test/postgres.ts'; console.log((await startPostgres()).url)"
  const starter = spawn(process.execPath, ['--input-type=module', '-e', `${code}; setInterval(() => {}, 1000)`])
  onTestFinished(() => void starter.kill('SIGKILL'))
  const url = await new Promise<string>((done) => starter.stdout.once('data', (part) => done(String(part).trim())))
  const [pid] = readFileSync(`${folderOf(url)}/data/postmaster.pid`, 'utf8').split('\n')
  starter.kill('SIGKILL')
  for (const deadline = Date.now() + 10_000; existsSync(folderOf(url)) && Date.now() < deadline; ) await pause(20)
  expect(existsSync(folderOf(url))).toBe(false)
  expect(existsSync(`/proc/${pid}`)).toBe(false)
}, 60_000)
