import { readFile } from 'node:fs/promises'
import type { Usage } from '../../driver.ts'
import type { Live } from '../process/live.ts'

/** The kernel counts CPU time in hundredths of a second towards programs, whatever its own clock. */
const tickMs = 10
/** Fields of /proc/<pid>/stat after the name, which may hold spaces. */
const fields = { user: 11, system: 12 }

/**
 * Reads the resources an instance uses. CPU and memory come from the kernel, so that they are there when flows block
 * the process. Undefined when the process has ended.
 */
export async function readUsage({ record: { pid }, beat, hungSince }: Live): Promise<Usage | undefined> {
  if (pid === undefined) return undefined
  try {
    const [stat, status] = await Promise.all(['stat', 'status'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8')))
    const times = stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')
    return {
      cpuMs: (Number(times[fields.user]) + Number(times[fields.system])) * tickMs,
      memoryMb: Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status!)?.[1] ?? 0) / 1024),
      ...(beat && { eventLoop: beat }),
      ...(hungSince !== undefined && { hungSince }),
    }
  } catch {
    return undefined
  }
}
