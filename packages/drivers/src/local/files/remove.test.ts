import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { removeTree } from './remove.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'forge-remove-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

/** Folders in each other, by names of 200 letters: deeper than any path may be long. */
const deepScript = `mkdir -p "$1" && cd "$1" && n=$(printf 'd%.0s' $(seq 200)) && for i in $(seq 40); do mkdir $n && cd $n && echo x > file; done`
const shell = (script: string, ...args: string[]) =>
  new Promise((resolve, reject) =>
    spawn('sh', ['-c', script, 'sh', ...args], { stdio: 'ignore' })
      .on('close', resolve)
      .on('error', reject),
  )

test('folders that are deeper than a path may be long are removed, closed ones too, and what links lead to stays', async () => {
  const target = join(home, 'one')
  await shell(deepScript, join(target, 'user'))
  mkdirSync(join(home, 'elsewhere'))
  writeFileSync(join(home, 'elsewhere/file'), 'x')
  symlinkSync(join(home, 'elsewhere'), join(target, 'folder'))
  symlinkSync(join(home, 'elsewhere/file'), join(target, 'user/link'))
  mkdirSync(join(target, 'closed/more'), { recursive: true })
  await shell('chmod 000 "$1"', join(target, 'closed'))
  await removeTree(target)
  expect(readdirSync(home)).toEqual(['elsewhere'])
  expect(existsSync(join(home, 'elsewhere/file'))).toBe(true)
  await removeTree(target)
  await removeTree(join(home, 'nowhere/one'))
  expect(readdirSync(home)).toEqual(['elsewhere'])
})

test('what a kill has left is removed by the next call', async () => {
  mkdirSync(join(home, 'one.removed/begun/more'), { recursive: true })
  await removeTree(join(home, 'one'))
  expect(readdirSync(home)).toEqual([])
})

test('a program that puts links in the place of folders all the while does not lead it out', async () => {
  const [target, kept] = [join(home, 'one'), join(home, 'kept')]
  mkdirSync(kept)
  for (let n = 0; n < 200; n += 1) writeFileSync(join(kept, `file-${n}`), 'x')
  for (let n = 0; n < 100; n += 1) mkdirSync(join(target, `folder-${n}`, 'in'), { recursive: true })
  // It is at home there, so that it stays in it wherever the folder goes.
  const program = `cd "$1" && echo > ready; for n in $(seq 0 99); do mv folder-$n away-$n && ln -s "$2" folder-$n; rm -f folder-$n; mv away-$n folder-$n; done`
  const child = spawn('sh', ['-c', program, 'sh', target, kept], { stdio: 'ignore' })
  try {
    while (!existsSync(join(target, 'ready'))) await delay(2)
    await removeTree(target)
    expect(readdirSync(kept).length).toBe(200)
    expect(readdirSync(home)).toEqual(['kept'])
  } finally {
    child.kill('SIGKILL')
  }
})
