import { expect, test } from 'vitest'
import { freeMemoryMb, hasRoom, usedOfGroup } from './room.ts'

test('a second Node-RED needs as much as the first, and no less than one with a small flow', () => {
  expect(hasRoom(140, 60)).toBe(true)
  expect(hasRoom(139, 60)).toBe(false)
  expect(hasRoom(230, 200)).toBe(true)
  expect(hasRoom(229, 200)).toBe(false)
})

test.each([
  ['version 2, in a container', '0::/\n', '/sys/fs/cgroup/memory.stat', 'anon 1048576\nfile 9\n'],
  ['version 2', '0::/system.slice/a.service\n', '/sys/fs/cgroup/system.slice/a.service/memory.stat', 'anon 1048576\n'],
  ['version 1', '0::/\n4:cpu:/x\n3:memory:/x\n', '/sys/fs/cgroup/memory/x/memory.stat', 'rss 7\ntotal_rss 1048576\n'],
  ['version 1, in a container', '3:memory:/docker/x\n', '/sys/fs/cgroup/memory/memory.stat', 'total_rss 1048576\n'],
])('what a control group uses is read without its files: %s', (_what, groups, path, stat) => {
  const files: Record<string, string> = { '/proc/self/cgroup': groups, [path]: stat }
  expect(usedOfGroup((name) => files[name] ?? '')).toBe(1_048_576)
})

test('without control groups nobody can tell, and the machine counts', () => {
  expect(usedOfGroup(() => '')).toBeUndefined()
  expect(freeMemoryMb()).toBeGreaterThan(0)
})
