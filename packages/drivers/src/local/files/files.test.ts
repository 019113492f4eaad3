import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { InstanceFile } from '../../driver.ts'
import { readFiles, writeFiles } from './files.ts'
import { pathsOf } from '../paths.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'forge-files-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = (path: string, text = 'x', mode = 0o600): InstanceFile => ({
  path,
  mode,
  content: Readable.from([Buffer.from(text)]),
})

test('the plain files of an instance are read, and nothing that leads out of its folder or can be fetched again', async () => {
  const { userDir } = pathsOf(home, 'one')
  for (const folder of ['data/deep', 'node_modules/much', '.npm']) mkdirSync(join(userDir, folder), { recursive: true })
  writeFileSync(join(home, 'secret'), 'of the platform')
  writeFileSync(join(userDir, 'package.json'), '{}')
  writeFileSync(join(userDir, 'data/deep/note.txt'), 'bread', { mode: 0o640 })
  writeFileSync(join(userDir, 'node_modules/much/index.js'), 'x')
  writeFileSync(join(userDir, '.npm/cache'), 'x')
  symlinkSync(join(home, 'secret'), join(userDir, 'link'))
  symlinkSync(home, join(userDir, 'folder'))
  linkSync(join(home, 'secret'), join(userDir, 'second-name'))
  execFileSync('mkfifo', [join(userDir, 'pipe')])
  const read: [string, number, string][] = []
  for await (const { path, mode, content } of readFiles(userDir))
    read.push([path, mode, Buffer.concat(await Array.fromAsync(content)).toString()])
  expect(read).toEqual([
    ['data/deep/note.txt', 0o640, 'bread'],
    ['package.json', statSync(join(userDir, 'package.json')).mode & 0o777, '{}'],
  ])
  expect(await Array.fromAsync(readFiles(join(home, 'nobody')))).toEqual([])
})

test('a file that grows while it is read ends where it was, and one that only says to be long is left out', async () => {
  const { userDir } = pathsOf(home, 'one')
  mkdirSync(userDir, { recursive: true })
  const growing = join(userDir, 'growing.log')
  writeFileSync(growing, 'bread')
  truncateSync(growing, 200_000)
  writeFileSync(join(userDir, 'long'), '')
  truncateSync(join(userDir, 'long'), 2 ** 42)
  const read: [string, number][] = []
  for await (const { path, content } of readFiles(userDir)) {
    let length = 0
    for await (const piece of content) {
      length += piece.length
      if (length < 1e7) appendFileSync(growing, Buffer.alloc(100_000))
    }
    read.push([path, length])
  }
  expect(read).toEqual([['growing.log', 200_000]])
})

test('files are put in the place of what was there, with their modes', async () => {
  const paths = pathsOf(home, 'one')
  await writeFiles(paths, Readable.from([file('old.txt')]))
  await writeFiles(paths, Readable.from([file('a/b/new.txt', 'bread', 0o750)]))
  expect(readFileSync(join(paths.userDir, 'a/b/new.txt'), 'utf8')).toBe('bread')
  expect(statSync(join(paths.userDir, 'a/b/new.txt')).mode & 0o777).toBe(0o750)
  expect(existsSync(join(paths.userDir, 'old.txt'))).toBe(false)
})

test.each(['../out', '/etc/out', 'a/../../out', 'a//b', './a', 'a/.', '', 'a\0b', `${'x'.repeat(300)}`])(
  'the path %j is refused',
  async (path) => {
    const paths = pathsOf(home, 'one')
    await expect(writeFiles(paths, Readable.from([file(path)]))).rejects.toThrow('outside the folder')
    expect(existsSync(join(home, 'out'))).toBe(false)
  },
)
