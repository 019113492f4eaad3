import { flushCompileCache } from 'node:module'
import { env, execArgv, execPath, execve, pid } from 'node:process'
import { pathToFileURL } from 'node:url'

const mb = 1024 * 1024

/** Sizes in bytes, for glibc. */
const settings = {
  /**
   * Larger pieces are given back to the kernel as soon as they are freed. Left alone glibc raises this to the size of what
   * was freed, and then keeps the 19 MiB of a password hash for every thread: 100 MB after 60 sign-ins.
   */
  MALLOC_MMAP_THRESHOLD_: String(mb),
  /**
   * glibc keeps this much free memory for reuse. At the usual 128 KB long answers take pages that the kernel has just got back,
   * 17 of them each, which was a quarter of the CPU of a page of the audit log.
   */
  MALLOC_TRIM_THRESHOLD_: String(4 * mb),
}

/**
 * Runs this program in the place of this one, with the same id: nothing of what was loaded stays, and settings that are read when
 * a process begins are in force.
 */
export async function become(file: string): Promise<void> {
  // A socket that systemd handed over would be closed: Node.js passes on nothing but the standard streams.
  const hasSocket = env.LISTEN_FDS !== undefined && Number(env.LISTEN_PID) === pid
  if (hasSocket) return void (await import(pathToFileURL(file).href))
  // Written at the end of a process otherwise, and this one does not end.
  flushCompileCache()
  execve!(execPath, [execPath, ...execArgv, file], { ...settings, ...env })
}
