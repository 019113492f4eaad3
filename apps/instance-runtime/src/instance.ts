import {
  captureStreams,
  createListening,
  openContext,
  openLog,
  type RunningNodeRed,
  startNodeRed,
  watchFlows,
} from '@app/nodered'
import packageFile from '../package.json' with { type: 'json' }
import { createBeat } from './beat.ts'
import { createControlServer } from './control.server.ts'
import { closeInherited } from './descriptors.ts'
import { become, readLaunchSpec, warmUp } from './launch.ts'
import { createStatus } from './status.ts'
import { tidyLater } from './tidy.ts'

const launchDescriptor = 3
/** Shorter than the ten seconds after which the driver kills. */
const stopMs = 8_000

closeInherited(launchDescriptor)
// Everything that this process makes, sockets and files of flows, is for its own user.
process.umask(0o077)
// Modules read the report of Node.js to learn about the system. Its list of connections asks DNS for the names of their
// other ends, and nothing else runs meanwhile.
Reflect.set(process.report ?? {}, 'excludeNetwork', true)
// These are for this process alone and not for programs that flows start.
for (const name of ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_']) delete process.env[name]

// Arguments: the label by which the platform knows this process, what to load before there is an instance for it, and the file
// that says when that is done.
const [, , , training, readyFile] = process.argv
if (training !== undefined) await warmUp(launchDescriptor, training, readyFile)
const launch = readLaunchSpec(launchDescriptor)
become(launch)
const log = openLog(launch.logDir, launch.src, launch.slot)
captureStreams(log)
const status = createStatus()
const flows = watchFlows(status.setFlows)
const context = openContext({
  userDir: launch.filesDir ?? launch.userDir,
  ...(launch.onTrial ? { isOnTrial: true } : {}),
  isAcrossMachines: 'port' in launch.answersAt,
})
let nodeRed: RunningNodeRed | undefined

const listening = createListening(launch)

const control = createControlServer({
  launch,
  log,
  status,
  context,
  flows,
  heart: createBeat(),
  healthy: async () => (await nodeRed?.healthy()) ?? false,
  logout: async (token) => nodeRed?.logout(token),
  async protect() {
    if (!nodeRed) throw new Error('Node-RED has not started yet')
    await nodeRed.protect()
  },
  takeover() {
    if (!nodeRed) throw new Error('Node-RED has not started yet')
    return nodeRed.takeover
  },
  shutdown: () => void stop('on request'),
})
await listening.open('control', control)

process.on('exit', listening.close)
process.on('SIGTERM', () => void stop('SIGTERM'))
process.on('SIGINT', () => void stop('SIGINT'))
process.on('uncaughtException', (error) => {
  log.write('fatal', `Uncaught exception: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exit(1)
})

try {
  nodeRed = await startNodeRed({
    launch,
    listening,
    log,
    context,
    version: packageFile.version,
    flows,
    onStatus: status.set,
  })
  tidyLater()
} catch (error) {
  log.write('fatal', `Node-RED did not start: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}

async function stop(why: string): Promise<void> {
  if (status.get().state === 'stopping') return
  status.set({ ...status.get(), state: 'stopping' })
  log.write('info', `Stopping (${why})`)
  setTimeout(() => process.exit(0), stopMs).unref()
  await nodeRed?.stop()
  endGroup()
  process.exit(0)
}

/** Programs that flows started and left behind. This process leads their group; its own handler ignores the signal now. */
function endGroup(): void {
  try {
    process.kill(-process.pid, 'SIGTERM')
  } catch {
    // Not the leader of a group: started by hand.
  }
}
