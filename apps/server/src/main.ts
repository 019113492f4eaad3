import { pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import { openDriver } from './drivers.ts'
import { makeRoom } from './platform/disk.ts'
import { HomeTaken, leaveHome, waitForHome } from './platform/home.lock.ts'
import { inheritedSocket } from './platform/http/inherited.ts'
import { serve } from './serve.ts'

function configured() {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.problems.join('\n')}\n`)
    return process.exit(1)
  }
}

async function takeHome(home: string) {
  try {
    await waitForHome(home, () => log.info('waits for the server before, which is stopping'))
  } catch (error) {
    if (!(error instanceof HomeTaken)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const config = configured()
const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] })
const socket = inheritedSocket(process.env)
makeRoom(config.home)
await takeHome(config.home)

async function begin() {
  try {
    return await serve({ config, log, openDriver, socket })
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.problems.join('\n')}\n`)
      process.exit(1)
    }
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE') throw error
    process.stderr.write(
      `Port ${config.port} is in use by another program. Stop it, or set FORGE_PORT to another port.\n`,
    )
    return process.exit(1)
  }
}

const server = await begin()
const token = server.link
// In the fragment, which browsers send to nobody and servers write to no log.
const link = token ? `  Set it up with this one-time link: ${config.baseUrl}/setup#${token}\n` : ''
process.stdout.write(`\n  FlowForge answers on ${config.baseUrl}\n${link}\n`)

let signals = 0
const hurry = new AbortController()

/** The first signal lets requests finish, the second waits for none, the third ends the process as it is. */
function stop() {
  signals += 1
  if (signals === 2) hurry.abort()
  if (signals > 2) process.exit(1)
  if (signals > 1) return
  leaveHome(config.home)
  void server.close(hurry.signal).then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'did not stop cleanly')
      process.exit(1)
    },
  )
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
