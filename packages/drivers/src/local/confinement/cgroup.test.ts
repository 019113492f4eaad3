import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { until } from '../../testing/until.ts'
import { always, findHierarchies } from './cgroup.mounts.ts'
import { openGroups } from './cgroup.ts'
import { identityOf } from '../process/identity.ts'
import { endLeftovers } from './leftovers.ts'

/** A machine as /proc describes it: its mounts, and the group of the process in each. `MOUNT` is where it has them. */
function machine({
  groups,
  mounts,
  controllers = {},
}: {
  groups: string
  mounts: string
  controllers?: Record<string, string>
}) {
  const root = mkdtempSync(join(tmpdir(), 'forge-groups-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['unified', 'memory', 'pids']) mkdirSync(join(root, name))
  for (const [path, text] of Object.entries(controllers)) {
    mkdirSync(join(root, path), { recursive: true })
    writeFileSync(join(root, path, 'cgroup.controllers'), text)
  }
  writeFileSync(join(root, 'cgroup'), groups)
  writeFileSync(join(root, 'mountinfo'), mounts.replaceAll('MOUNT', root))
  return { root, found: findHierarchies(root) }
}

const unified = '30 20 0:28 / MOUNT/unified rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n'

describe('control groups of a machine', () => {
  test('of the second version lie beside the group of the platform, which so can be ended without them', () => {
    const { root, found } = machine({
      groups: '0::/system.slice/flowforge.service\n',
      mounts: unified,
      controllers: { 'unified/system.slice': 'cpu memory pids\n' },
    })
    expect(found).toEqual([
      { version: 2, parent: join(root, 'unified/system.slice'), controllers: ['memory', 'pids', 'kill'] },
    ])
  })

  test('of the first version lie below it, and both versions work side by side', () => {
    const { root, found } = machine({
      groups: '5:memory:/user/one\n4:pids:/\n0::/\n',
      mounts:
        '33 31 0:29 / MOUNT/memory rw - cgroup cgroup rw,memory\n34 31 0:30 / MOUNT/pids rw - cgroup cgroup rw,pids\n' +
        unified,
    })
    expect(found).toEqual([
      { version: 1, parent: join(root, 'memory/user/one'), controllers: ['memory'] },
      { version: 1, parent: join(root, 'pids'), controllers: ['pids'] },
      { version: 2, parent: join(root, 'unified'), controllers: ['kill'] },
    ])
  })

  test('in a container begin at its own root, and a machine without any has none', () => {
    const mounts = '30 20 0:28 /docker/abc MOUNT/unified ro - cgroup2 cgroup2 rw\n'
    const { root, found } = machine({ groups: '0::/docker/abc\n', mounts, controllers: { unified: 'memory pids\n' } })
    expect(found[0]?.parent).toBe(join(root, 'unified'))
    expect(machine({ groups: '', mounts: '' }).found).toEqual([])
  })

  test('that cannot be made count as none', () => {
    const nowhere = { version: 2 as const, parent: '/proc', controllers: ['memory' as const, 'kill' as const] }
    expect(openGroups('/srv/forge', [nowhere]).can).toEqual({
      memory: false,
      processes: false,
      cpus: false,
      kill: false,
    })
  })
})

test('without groups and users a program that left its session is found by the home folder it inherited', async () => {
  const userDir = mkdtempSync(join(tmpdir(), 'forge-remains-'))
  onTestFinished(() => rmSync(userDir, { recursive: true, force: true }))
  const start = (HOME: string) => {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore', env: { PATH: process.env.PATH, HOME } })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child.pid!
  }
  const [ours, foreign] = [start(userDir), start(`${userDir}-other`)]
  await endLeftovers({ account: undefined, userDir, isShared: () => false })
  await until('it is gone', () => identityOf(ours) === undefined)
  expect(identityOf(foreign)).toBeDefined()
})

/** A kernel with control groups of version 2 as a folder: groups have the files that the group above hands down. */
function unifiedKernel() {
  const parent = mkdtempSync(join(tmpdir(), 'forge-kernel-'))
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }))
  const fill = (path: string, controllers: string[]) => {
    const files = ['cgroup.procs', 'cgroup.kill', 'cgroup.subtree_control']
    if (controllers.includes('+memory')) files.push('memory.max', 'memory.swap.max', 'memory.events')
    if (controllers.includes('+pids')) files.push('pids.max')
    if (controllers.includes('+cpu')) files.push('cpu.max')
    for (const name of files) writeFileSync(join(path, name), '')
  }
  fill(parent, [])
  const folders = {
    make(path: string) {
      if (existsSync(path)) return
      const handedDown = readFileSync(join(dirname(path), 'cgroup.subtree_control'), 'utf8').split(' ')
      mkdirSync(path)
      fill(path, handedDown)
    },
    remove(path: string) {
      const isEmpty = existsSync(path) && readFileSync(join(path, 'cgroup.procs'), 'utf8') === ''
      if (isEmpty && readdirSync(path, { withFileTypes: true }).every((entry) => !entry.isDirectory()))
        rmSync(path, { recursive: true })
    },
  }
  const hierarchy = { version: 2 as const, parent, controllers: ['memory', 'pids', 'cpu', 'kill'] as const }
  return { parent, folders, hierarchies: [{ ...hierarchy, controllers: [...hierarchy.controllers] }] }
}

test('in a group of the second version an instance has its limits, and all of it ends at once', async () => {
  const { parent, folders, hierarchies } = unifiedKernel()
  const groups = openGroups('/srv/forge', hierarchies, folders)
  expect(groups.can).toEqual({ memory: true, processes: true, cpus: true, kill: true })
  // The probe left nothing behind.
  expect(readdirSync(parent).some((name) => name.startsWith('flowforge'))).toBe(false)
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  await groups.enter('oven', child.pid!, { memory: 256, processes: 100, cpus: 0.5 })
  const [family] = readdirSync(parent).filter((name) => name.startsWith('flowforge'))
  const group = join(parent, family!, 'oven')
  const inGroup = (name: string) => readFileSync(join(group, name), 'utf8')
  expect(['memory.max', 'memory.swap.max', 'pids.max', 'cpu.max', 'cgroup.procs'].map(inGroup)).toEqual([
    String(256 * 1024 * 1024),
    '0',
    '100',
    '50000 100000',
    String(child.pid),
  ])
  expect(groups.outOfMemory('oven')).toBe(0)
  writeFileSync(join(group, 'memory.events'), 'low 0\nhigh 0\nmax 12\noom 2\noom_kill 2\noom_group_kill 0\n')
  expect(groups.outOfMemory('oven')).toBe(2)
  let asked = ''
  child.once('exit', () => {
    asked = inGroup('cgroup.kill')
    writeFileSync(join(group, 'cgroup.procs'), '')
  })
  await groups.end('oven')
  expect(asked).toBe('1')
  expect(existsSync(group)).toBe(false)
})

test('where the group above hands down no limits, its groups can still be ended', () => {
  const { folders, hierarchies } = unifiedKernel()
  const refusing = { ...folders, make: (path: string) => (folders.make(path), withoutLimits(path)) }
  const withoutLimits = (path: string) => {
    for (const name of ['memory.max', 'pids.max']) rmSync(join(path, name), { force: true })
  }
  expect(openGroups('/srv/forge', hierarchies, refusing).can).toEqual({
    memory: false,
    processes: false,
    cpus: false,
    kill: true,
  })
})

test('memory and processes are still limited if processors cannot be', () => {
  const { folders, hierarchies } = unifiedKernel()
  const without = (path: string) => rmSync(join(path, 'cpu.max'), { force: true })
  const refusing = { ...folders, make: (path: string) => (folders.make(path), without(path)) }
  expect(openGroups('/srv/forge', hierarchies, refusing).can).toEqual({
    memory: true,
    processes: true,
    cpus: false,
    kill: true,
  })
})

const wanted = [...always, 'cpu'] as const
const kernelHas = openGroups('/tmp/forge-cpus', findHierarchies('/proc/self', wanted)).can.cpus
test.runIf(kernelHas)(
  'the kernel of this machine holds a busy program back to its share of the processors',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'forge-cpus-'))
    const groups = openGroups(home, findHierarchies('/proc/self', wanted))
    onTestFinished(async () => {
      await groups.end('oven')
      rmSync(home, { recursive: true, force: true })
    })
    const child = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    await groups.enter('oven', child.pid!, { memory: 256, processes: 100, cpus: 0.1 })
    const line = readFileSync(`/proc/${child.pid}/cgroup`, 'utf8')
      .split('\n')
      .find((one) => /:cpu(,\w+)?:|^0::/.test(one) && one.includes('/oven'))!
    const [, , path] = line.split(':')
    const mounts = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct', '/sys/fs/cgroup', '/sys/fs/cgroup/unified']
    const stat = mounts.map((mount) => join(mount, path!, 'cpu.stat')).find((file) => existsSync(file))!
    await until('it was held back', () => Number(/^nr_throttled (\d+)$/m.exec(readFileSync(stat, 'utf8'))?.[1]) > 2)
  },
)
