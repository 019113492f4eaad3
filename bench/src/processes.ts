import { docker } from '@app/drivers/testing/docker-image'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** The kernel counts CPU time in hundredths of a second, whatever its own clock. */
const tickMs = 10
const waitMs = 60_000

/** CPU time of a process and its threads since its start, in milliseconds. */
export function cpuMsOf(pid: number | string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

/** Resident memory of a process in MB. */
export function rssMbOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Memory of a process in MB; what it shares with others counts in parts. */
export function pssMbOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
}

/** Memory in MB that the machine can still give. */
export function availableMb(): number {
  return Number(/^MemAvailable:\s+(\d+)/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) / 1024
}

/** Kills a process and waits until the kernel has taken its sockets from it, which lasts some milliseconds. */
export async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  while (!hasEnded(pid)) await setImmediate()
}

/** Nobody may have asked yet how it ended; its other threads hold the sockets until the last of them is gone. */
function hasEnded(pid: number): boolean {
  try {
    const isAlone = readdirSync(`/proc/${pid}/task`).length === 1
    return isAlone && readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.startsWith('Z')
  } catch {
    return true
  }
}

export interface InstanceRecord {
  pid: number
  /** The engine's id of its container, in the place of the pid. */
  container?: string
  socketDir: string
}

/** The server's record of an instance's process; undefined when it has none. */
export function recordOf(home: string, id: string): InstanceRecord | undefined {
  try {
    return JSON.parse(readFileSync(join(home, 'instances', id, 'record.json'), 'utf8')) as InstanceRecord
  } catch {
    return undefined
  }
}

/** The process of an instance, also of one in a container. */
export const pidOf = (home: string, id: string): number => processesOf(home, id)[0]!

/** The same, and for one in a container the first process there, whose child it is, and the shim that runs the container. */
export function processesOf(home: string, id: string): number[] {
  const { pid, container } = recordOf(home, id)!
  if (container === undefined) return [pid]
  const first = Number(docker('inspect', '--format', '{{.State.Pid}}', container))
  const child = Number(readFileSync(`/proc/${first}/task/${first}/children`, 'utf8').split(' ')[0])
  const shim = Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${first}/status`, 'utf8'))![1])
  return [child, first, shim]
}

/** Waits until this many processes are loaded and wait for an instance. */
export async function untilWarm(home: string, count: number): Promise<void> {
  for (const end = performance.now() + waitMs; performance.now() < end; await sleep(50)) if (warm(home) >= count) return
  throw new Error(`There were not ${count} warm processes within a minute`)
}

/** They stand in a read (system call 0) of their specification, on file 3. */
function warm(home: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !(printsToPool(pid, home) || tellsPool(pid, home))) return false
      return readFileSync(`/proc/${pid}/syscall`, 'utf8').startsWith('0 0x3 ')
    } catch {
      return false
    }
  }).length
}

const printsToPool = (pid: string, home: string) => readlinkSync(`/proc/${pid}/fd/1`).startsWith(join(home, 'warm'))

/** A process in a container is told a file to make when everything is loaded, which is gone once it was seen. */
function tellsPool(pid: string, home: string): boolean {
  const file = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').at(-2) ?? ''
  return file.startsWith(join(home, 'instances')) && file.endsWith('/ready') && !existsSync(file)
}

/** The process of the embedded broker, which writes its log into the platform's home. Undefined when none runs. */
export function brokerPid(home: string): number | undefined {
  const folder = join(home, 'broker')
  const isBroker = (pid: string) => {
    try {
      const files = `/proc/${pid}/fd`
      const isItsFile = (file: string) => readlinkSync(join(files, file)).startsWith(`${folder}/`)
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('broker') && readdirSync(files).some(isItsFile)
    } catch {
      return false
    }
  }
  const found = readdirSync('/proc').find((name) => /^\d+$/.test(name) && isBroker(name))
  return found === undefined ? undefined : Number(found)
}

/** Ends the embedded broker of a platform that was stopped, which it outlives. */
export async function endBroker(home: string): Promise<void> {
  const pid = brokerPid(home)
  if (pid !== undefined) await kill(pid)
}
