import { pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import { openDriver } from './drivers.ts'
import { WrongKey } from './platform/keys/keyring.ts'
import { checkOwner, HomeOfAnother } from './platform/home.owner.ts'
import { HomeTaken, lockHome } from './platform/home.lock.ts'
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

function takeHome(home: string) {
  try {
    checkOwner(home)
    lockHome(home)
  } catch (error) {
    if (!(error instanceof HomeTaken) && !(error instanceof HomeOfAnother)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

const config = configured()
takeHome(config.home)
const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] })

/** It must not go on, and what it would do to end in order may be another server's already. */
function end(reason: string): void {
  log.fatal(reason)
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

async function begin() {
  try {
    return await serve({ config, log, openDriver, end })
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.problems.join('\n')}\n`)
      process.exit(1)
    }
    if (error instanceof WrongKey) {
      process.stderr.write(`${error.message}\n`)
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'did not stop cleanly')
        process.exit(1)
      },
    )
  })
}
