import type { RuntimeUsage } from '@app/contract/instance-link'
import { readFileSync } from 'node:fs'

const mib = 1024 * 1024
/** The kernel counts the use of a container in one of these two ways. */
const groups = [
  {
    cpu: () => number(/^usage_usec (\d+)/m, '/sys/fs/cgroup/cpu.stat') / 1_000,
    memory: () => number(/(\d+)/, '/sys/fs/cgroup/memory.current'),
    files: () => number(/^inactive_file (\d+)/m, '/sys/fs/cgroup/memory.stat'),
  },
  {
    cpu: () => number(/(\d+)/, '/sys/fs/cgroup/cpuacct/cpuacct.usage') / 1_000_000,
    memory: () => number(/(\d+)/, '/sys/fs/cgroup/memory/memory.usage_in_bytes'),
    files: () => number(/^total_inactive_file (\d+)/m, '/sys/fs/cgroup/memory/memory.stat'),
  },
]

/**
 * Reads what this process and the programs of its flows use, where each instance is a container. Memory is without what
 * the kernel keeps of files and gives back at once. Where the kernel does not tell, it is that of this process alone.
 */
export function readUsage(): RuntimeUsage {
  for (const { cpu, memory, files } of groups)
    try {
      return { cpuMs: Math.round(cpu()), memoryMb: Math.round((memory() - files()) / mib) }
    } catch {
      // Not counted in this way.
    }
  const { user, system } = process.cpuUsage()
  return { cpuMs: Math.round((user + system) / 1_000), memoryMb: Math.round(process.memoryUsage.rss() / mib) }
}

/** @throws Error when it is not there. */
function number(pattern: RegExp, path: string): number {
  const [, found] = pattern.exec(readFileSync(path, 'utf8')) ?? []
  if (found === undefined) throw new Error(`${path} has no such number`)
  return Number(found)
}
