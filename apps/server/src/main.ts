import { pino } from 'pino'
import { ConfigError, readConfig } from './config.ts'
import { openDriver } from './drivers.ts'
import { WrongKey } from './platform/keys/keyring.ts'
import { checkOwner, HomeOfAnother } from './home.owner.ts'
import { makeRoom } from './platform/disk.ts'
import { HomeTaken, leaveHome, waitForHome } from './platform/home.lock.ts'
import { inheritedSocket } from './platform/http/inherited.ts'
import { faultOfPort } from './platform/http/port.ts'
import { authorityPath } from './platform/tls/redirect.ts'
import { BadCertificate } from './platform/tls/certificate.ts'
import { serve } from './serve.ts'
import { faultOfStart, waitForDatabase } from './start.faults.ts'

function configured() {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.problems.join('\n')}\n`)
    return process.exit(1)
  }
}

const config = configured()
const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] })
const socket = inheritedSocket(process.env)

/** @returns what the person at the terminal is told; undefined for a defect. */
function sentencesOf(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.problems.join('\n')
  if ([HomeTaken, HomeOfAnother, WrongKey].some((kind) => error instanceof kind)) return (error as Error).message
  if (error instanceof BadCertificate) return `FORGE_TLS_CERT_FILE and FORGE_TLS_KEY_FILE: ${error.message}`
  return faultOfPort(error, config) ?? faultOfStart(error, config)
}

/** It must not go on, and what it would do to end in order may be another server's already. */
function end(reason: string): void {
  log.fatal(reason)
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

async function begin() {
  try {
    checkOwner(config.home)
    makeRoom(config.home)
    await waitForHome(config.home, () => log.info('waiting for the previous server, which is stopping'))
    await waitForDatabase(config, log)
    return await serve({ config, log, openDriver, socket, end })
  } catch (error) {
    const sentences = sentencesOf(error)
    if (sentences === undefined) throw error
    process.stderr.write(`${sentences}\n`)
    return process.exit(1)
  }
}

const certificate: { reload?: (() => void) | undefined } = {}
// Before the server listens: programs that renew certificates may signal at any time. Without a certificate the signal
// ends the server, as when its terminal is closed.
if (config.tls) process.on('SIGHUP', () => certificate.reload?.())

const server = await begin()
certificate.reload = server.reload
const token = server.link
// In the fragment, which browsers send to nobody and servers write to no log.
const link = token ? `  Set it up with this one-time link: ${config.baseUrl}/setup#${token}\n` : ''
const authority = server.authority
  ? `  Browsers have to trust its authority once: ${config.baseUrl}${authorityPath}\n  Fingerprint (SHA-256): ${server.authority}\n`
  : ''
process.stdout.write(`\n  FlowForge answers on ${config.baseUrl}\n${link}${authority}\n`)

let signals = 0
const hurry = new AbortController()

/** The first signal lets requests finish, the second waits for none, the third ends the process as it is. */
function stop() {
  signals += 1
  if (signals === 2) hurry.abort()
  if (signals > 2) process.exit(1)
  if (signals > 1) return
  try {
    leaveHome(config.home)
  } catch (error) {
    // As on a full disk; the next server is then refused until this one has ended.
    log.warn({ err: error }, 'could not record that this server stops')
  }
  void server.close(hurry.signal).then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'did not stop cleanly')
      process.exit(1)
    },
  )
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
