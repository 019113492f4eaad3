import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identityOf } from './identity.ts'
import { livingIn } from './neighbours.ts'

test('of another home the processes are seen that live, and nothing else is made of its records', async () => {
  const home = await mkdtemp(join(tmpdir(), 'forge-neighbour-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  expect([livingIn(home), livingIn(join(home, 'none'))]).toEqual([[], []])
  const note = async (id: string, file: string, text: string) => {
    await mkdir(join(home, 'instances', id), { recursive: true })
    await writeFile(join(home, 'instances', id, file), text)
  }
  const alive = { pid: process.pid, identity: identityOf(process.pid) }
  await note('a', 'record.json', JSON.stringify({ ...alive, identity: 'of an earlier boot' }))
  await note('b', 'record.json', 'no JSON')
  await note('c', 'crash.json', JSON.stringify(alive))
  expect(livingIn(home)).toEqual([])
  await note('d', 'record.1.json', JSON.stringify(alive))
  expect(livingIn(home)).toEqual([process.pid])
})
