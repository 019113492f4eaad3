import { flushCompileCache } from 'node:module'
import { env, execArgv, execPath, execve, pid } from 'node:process'
import { pathToFileURL } from 'node:url'

/**
 * Bytes from which glibc gives memory back to the kernel as soon as it is freed. Left alone it raises this to the size
 * of what was freed, and then keeps the 19 MiB of a password hash for every thread: 100 MB after 60 sign-ins.
 */
const setting = { MALLOC_MMAP_THRESHOLD_: String(1024 * 1024) }

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
  execve!(execPath, [execPath, ...execArgv, file], { ...setting, ...env })
}
