import { env, execArgv, execPath, argv, execve, pid } from 'node:process'

/**
 * Bytes from which glibc gives memory back to the kernel as soon as it is freed. Left alone it raises this to the size
 * of what was freed, and then keeps the 19 MiB of a password hash for every thread: 100 MB after 60 sign-ins.
 */
const setting = { MALLOC_MMAP_THRESHOLD_: String(1024 * 1024) }

/** A socket that systemd handed over would be closed: Node.js passes on nothing but the standard streams. */
const hasSocket = env.LISTEN_FDS !== undefined && Number(env.LISTEN_PID) === pid

// It is read when a process begins, so this process begins once more, with the same id.
if (env.MALLOC_MMAP_THRESHOLD_ === undefined && !hasSocket)
  execve!(execPath, [execPath, ...execArgv, ...argv.slice(1)], { ...env, ...setting })
