import { readFileSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

const mib = 1024 * 1024
/** Node-RED with a small flow, while it starts. */
const leastMb = 110
const spareMb = 30

/** Is there memory for a second Node-RED that uses as much as the one that runs? */
export const hasRoom = (freeMb: number, usedMb: number): boolean => freeMb >= Math.max(leastMb, usedMb) + spareMb

/** Free memory of the machine in MiB, or of the container of the agent where that has a limit. Cached files count as free. */
export function freeMemoryMb(): number {
  const limit = process.constrainedMemory()
  const used = limit > 0 && limit < totalmem() ? usedOfGroup(readText) : undefined
  return Math.floor(Math.min(freemem(), used === undefined ? Infinity : limit - used) / mib)
}

/** Bytes that the control group of this process and those below it use, without cached files; undefined: nobody can tell. */
export function usedOfGroup(read: (path: string) => string): number | undefined {
  for (const line of read('/proc/self/cgroup').split('\n')) {
    const [, names = 'none', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? []
    const isSecond = names === ''
    if (!isSecond && !names.split(',').includes('memory')) continue
    const mount = isSecond ? '/sys/fs/cgroup' : '/sys/fs/cgroup/memory'
    // A container may see its own group as the root.
    for (const folder of [`${mount}${path}`, mount]) {
      const figure = /^(?:anon|total_rss) (\d+)$/m.exec(read(`${folder}/memory.stat`))?.[1]
      if (figure !== undefined) return Number(figure)
    }
  }
  return undefined
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
