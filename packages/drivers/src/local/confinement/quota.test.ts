import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { nodeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openLocal, runs } from '../../testing/local.harness.ts'
import { mountOf, openQuota } from './quota.ts'

const account = { uid: 200_001, gid: 200_001 }

/** A machine whose only mount is this, with a `setquota` that notes how it is called. */
function machine({ type = 'ext4', options = 'rw,relatime,quota,usrquota', script = '' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-quota-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (name: string) => join(folder, name)
  writeFileSync(at('mountinfo'), `21 1 8:1 / / rw shared:1 - ${type} /dev/sda1 ${options}\n`)
  writeFileSync(at('setquota'), `#!/bin/sh\n[ "$1" = --version ] && exit 0\n${script}\necho "$@" >> ${at('calls')}\n`)
  chmodSync(at('setquota'), 0o755)
  return {
    mounts: at('mountinfo'),
    command: at('setquota'),
    calls: () => (existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split('\n') : []),
  }
}
const open = (mb: number | undefined, here: ReturnType<typeof machine>, isolated = true) =>
  openQuota('/nowhere/instances', { mb, isolated }, here)

test('the user of an instance gets its quota on the file system of the home, and loses it with the instance', async () => {
  const here = machine()
  const quota = open(2048, here)
  await quota.limit(account)
  await quota.lift([account.uid])
  expect(here.calls()).toEqual(['-u 200001 0 2097152 0 0 /', '-u 200001 0 0 0 0 /'])
  expect(quota.gap()).toBeUndefined()
})

test('without a limit nothing is touched, and 0 takes former limits away', async () => {
  const here = machine()
  const untouched = open(undefined, here)
  await untouched.limit(account)
  await untouched.lift([account.uid])
  expect([here.calls(), untouched.gap()]).toEqual([[], undefined])
  const none = open(0, here)
  await none.limit(account)
  expect([here.calls(), none.gap()]).toEqual([['-u 200001 0 0 0 0 /'], undefined])
})

test('a sentence says why the machine allows no quota, and instances start', async () => {
  const told = async (mb: number, here: ReturnType<typeof machine>, isolated = true) => {
    const quota = open(mb, here, isolated)
    await quota.limit(account)
    return [quota.gap(), here.calls()]
  }
  const gap = (why: string) => [`The disk of instances is not limited: ${why}.`, []]
  expect(await told(64, machine(), false)).toEqual(gap('they all run as the user of the platform'))
  expect(await told(64, machine({ type: 'btrfs' }))).toEqual(
    gap('the file system of FORGE_HOME, btrfs, has no quotas that the platform can set; ext4 and xfs have them'),
  )
  for (const options of ['rw,relatime', 'rw,quota,prjquota', 'rw,uqnoenforce'])
    expect(await told(64, machine({ options }))).toEqual(gap('quotas of users are off on /, where FORGE_HOME is'))
  expect(await told(64, { ...machine(), command: '/nowhere/setquota' })).toEqual(
    gap('setquota, of the package quota, is missing'),
  )
  const failing = machine({ script: 'echo "setquota: no quota here" >&2; exit 1' })
  expect(await told(64, failing)).toEqual(gap('setquota does not set it (setquota: no quota here)'))
  expect(open(0, machine({ options: 'rw' })).gap()).toBeUndefined()
})

test('the mount of a folder is the nearest above it', () => {
  const mounts = ['/', '/var', '/var/lib', '/var/library'].map((path) => ({ path, type: 'ext4', options: [] }))
  expect(mountOf('/var/lib/flowforge', mounts)?.path).toBe('/var/lib')
  expect(mountOf('/var/libra', mounts)?.path).toBe('/var')
  expect(mountOf('/srv', mounts)?.path).toBe('/')
})

test('flows that reach the quota of their instance get an error, and the instance goes on', async (context) => {
  const local = await openLocal({ diskMb: 64 })
  onTestFinished(() => local.close())
  const { driver, spec, putFlows } = local
  const missing = driver.capabilities.gaps.find((gap) => gap.startsWith('The disk of instances'))
  if (missing) return void (await context.annotate(missing))
  const one = spec()
  const write = `fs.writeFileSync('big', Buffer.alloc(80 * 1024 * 1024))`
  putFlows(
    one.id,
    nodeFlow(`try { ${write}; msg.payload = 'written' } catch (error) { msg.payload = error.code }\nreturn msg`),
  )
  await driver.start(one)
  await runs(driver, one.id)
  const ask = async () => (await askInstance(driver.endpoint(one.id)!, '/do')).text
  expect([await ask(), await ask()]).toEqual(['EDQUOT', 'EDQUOT'])
})
