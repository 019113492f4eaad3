import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkOwner } from './home.owner.ts'

async function homeOfMine(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'forge-owner-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await mkdir(join(home, 'instances/a/user'), { recursive: true })
  await writeFile(join(home, 'forge.db'), '')
  await mkdir(join(home, 'lost+found'))
  return home
}
const mine = process.getuid!()
const other = mine + 1_000

test('a home of the same user is taken, and root takes any', async () => {
  const home = await homeOfMine()
  for (const [folder, uid] of [
    [home, mine],
    [home, 0],
    [join(home, 'none'), other],
  ] as const)
    expect(() => checkOwner(folder, uid)).not.toThrow()
})

test('a home that another user ran a server on is refused with who, which files and what to do', async () => {
  const home = await homeOfMine()
  const refusal = (() => {
    try {
      checkOwner(home, other)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  })()
  const owner = mine === 0 ? 'root owns' : `user ${mine} owns`
  expect(refusal).toContain(`A server ran on ${home} as another user: ${owner} 4 of its files, such as ${home}/`)
  expect(refusal).toContain(`chown -R ${other}: ${home} && rm -f ${home}/instances/*/account.json`)
  expect(refusal).not.toContain('lost+found')
})
