import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const malloc = join(import.meta.dirname, 'malloc.ts')
const shows = `
  const isSocket = () => { try { return require('node:fs').fstatSync(3).isSocket() } catch { return false } }
  console.log(JSON.stringify([process.env.MALLOC_MMAP_THRESHOLD_ ?? 'unset', isSocket()]))`

/** The view of a process that begins with a socket as descriptor 3; `$$` is its id. */
function seen(before: string): unknown {
  const { MALLOC_MMAP_THRESHOLD_: _unset, ...env } = process.env
  const command = `${before} exec "$0" --import "$1" -e "$2"`
  const text = execFileSync('sh', ['-c', command, process.execPath, malloc, shows], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    encoding: 'utf8',
  })
  return JSON.parse(text)
}

test('a server begins again to give memory back', () => expect(seen('')).toEqual(['1048576', false]))

test('a socket that was handed over stays open', () =>
  expect(seen('LISTEN_FDS=1 LISTEN_PID=$$')).toEqual(['unset', true]))
