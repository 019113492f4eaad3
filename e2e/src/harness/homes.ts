import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Folder for the homes of one run of the journeys, named after the process that runs them. */
export function homesOf(pid: number): string {
  return join(tmpdir(), `fe2e-${pid}`)
}

/** Ids of the processes that work in this folder: started with it, standing in it, or holding a file of it. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 1 && pid !== process.pid && worksIn(pid, folder))
}

/** Ends what works in this folder, such as instances that outlived their server, and removes it. */
export function removeHome(folder: string): void {
  for (const pid of processesIn(folder)) signal(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
}

/** Is there a process of this id? */
export function isAlive(pid: number): boolean {
  return signal(pid, 0)
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

function worksIn(pid: number, folder: string): boolean {
  const process = `/proc/${pid}`
  try {
    const links = [`${process}/cwd`, ...readdirSync(`${process}/fd`).map((fd) => `${process}/fd/${fd}`)]
    const texts = [readFileSync(`${process}/cmdline`, 'utf8'), ...links.map(target)]
    return texts.some((text) => text.includes(`${folder}/`))
  } catch {
    return false
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    return ''
  }
}
