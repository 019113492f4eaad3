import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runAgent, version } from './agent.ts'
import { type DeviceFile, isRegistered, readConfig, saveCredentials } from './agent.config.ts'
import { AgentError, explained } from './agent.errors.ts'
import { lock } from './agent.lock.ts'
import { openAgentLog } from './agent.log.ts'
import { check } from './check.ts'
import { enrolByCode, enrolByToken } from './link/enrol.ts'
import { createSend } from './link/http.client.ts'
import { service } from './service/service.ts'
import { takeLaunch } from './update/updater.ts'

const help = `flowforge-agent ${version}, runs the flows of a FlowForge device

  flowforge-agent                          run the device
  flowforge-agent --otc <code> --forge-url <address>
                                           fetch credentials with a one-time code, then run
  flowforge-agent check                    check the file, the platform and this machine
  flowforge-agent service install          run as a service of systemd, from now on and after each boot
  flowforge-agent service uninstall        stop and remove the service
  flowforge-agent --version

  -d, --dir <folder>       folder of everything the agent keeps (default /var/lib/flowforge-agent, or
                           FLOWFORGE_AGENT_DIR)
  -c, --config <file>      file of the device (default <folder>/device.yml)
  --save                   with --otc: fetch credentials, and do not run
`

/** Ten minutes, as agents of the installed base. */
const againMs = 10 * 60_000

interface Options {
  dir: string
  file: string
}

/** Runs the command. Returns the exit code. */
export async function run(args: string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        dir: { type: 'string', short: 'd' },
        config: { type: 'string', short: 'c' },
        otc: { type: 'string', short: 'o' },
        'forge-url': { type: 'string', short: 'u' },
        save: { type: 'boolean' },
        version: { type: 'boolean', short: 'v' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.version) return print(version)
    if (values.help) return print(help)
    const dir = resolve(values.dir ?? process.env.FLOWFORGE_AGENT_DIR ?? '/var/lib/flowforge-agent')
    const options = { dir, file: resolve(values.config ?? join(dir, 'device.yml')) }
    const [command = 'start', ...rest] = positionals
    if (values.otc !== undefined) await fetchCredentials(options, values.otc, values['forge-url'])
    if (values.save) return print(`The credentials are in ${options.file}`)
    if (command === 'check') return await check(options)
    if (command === 'service') return await service(rest[0], options)
    if (command !== 'start') throw new AgentError('unknown_command', `There is no command ${command}. See --help.`)
    return await start(options)
  } catch (error) {
    const { code, message } = explained(error)
    process.stderr.write(`flowforge-agent: ${message} (${code})\n`)
    return code.startsWith('ERR_PARSE_ARGS') || code === 'unknown_command' ? 2 : 1
  }
}

async function fetchCredentials({ dir, file }: Options, code: string, address: string | undefined): Promise<void> {
  if (address === undefined || !URL.canParse(address))
    throw new AgentError('address_missing', 'Give the address of the platform: --forge-url https://forge.example.com')
  makeFolder(dir)
  const platform = address.replace(/\/+$/, '')
  try {
    saveCredentials(file, await enrolByCode(createSend(localSettings(file)), platform, code))
  } catch (error) {
    // A container is started again with the same arguments.
    if (explained(error).code !== 'code_used' || !isDeviceOf(platform, file)) throw error
    process.stderr.write(`flowforge-agent: The code is used already; ${file} stays as it is (code_used)\n`)
  }
}

/** Is there a device of this platform in the file? */
function isDeviceOf(platform: string, file: string): boolean {
  try {
    const found = readConfig(file)
    return isRegistered(found) && found.forgeURL === platform
  } catch {
    return false
  }
}

/** Proxy and certificates that are in the file already. */
function localSettings(file: string) {
  try {
    return readConfig(file)
  } catch {
    return {}
  }
}

async function start({ dir, file }: Options): Promise<number> {
  const launch = takeLaunch(process.env)
  makeFolder(dir)
  const found = readConfig(file)
  await lock(dir)
  const log = openAgentLog(join(dir, 'agent.log'))
  const end = new AbortController()
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => end.abort())
  // Node-RED and npm read it when they start.
  if (found.ca !== undefined) process.env.NODE_EXTRA_CA_CERTS = resolve(found.ca)
  if (found.proxy !== undefined) process.env.HTTPS_PROXY = process.env.HTTP_PROXY = found.proxy
  if (found.registry !== undefined) process.env.npm_config_registry = found.registry
  const config = isRegistered(found) ? found : await register(found, file)
  await runAgent(config, { dir, log, signal: end.signal, launch })
  return 0

  async function register(provisioning: Exclude<typeof found, DeviceFile>, path: string): Promise<DeviceFile> {
    const { port, memory, interval, proxy, ca } = provisioning
    const send = createSend(provisioning)
    for (;;) {
      try {
        const credentials = await enrolByToken(send, provisioning)
        saveCredentials(path, credentials)
        log.info(`Registered as device ${credentials.deviceId}`)
        return { ...credentials, ...dropped({ port, memory, interval, proxy, ca }) }
      } catch (error) {
        log.error(`The device was not registered: ${explained(error).message} The next attempt is in 10 minutes.`)
        await new Promise((next) => setTimeout(next, againMs))
      }
    }
  }
}

const dropped = <T extends object>(values: T): Partial<T> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>

function makeFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new AgentError('folder_missing', `${dir} cannot be made. Run as root, or choose another folder with --dir.`, {
      cause,
    })
  }
}

function print(text: string): number {
  process.stdout.write(`${text.trimEnd()}\n`)
  return 0
}
