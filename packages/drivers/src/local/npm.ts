import { spawn } from 'node:child_process'
import { DriverError } from '../driver.ts'
import type { Config } from './config.ts'

/** Settings of the npm that runs us which its child needs to reach the same registry in the same way. The rest is about our own folder. */
const kept = /^npm_config_(cache|userconfig|globalconfig|registry|proxy|https_proxy|noproxy|cafile|ca|strict_ssl)$/i
const outputMax = 64 * 1024

/**
 * Runs npm in a folder; `onLine` gets each line of its log.
 * @throws DriverError with a sentence for the person.
 */
export async function runNpm(
  npm: Config['npm'],
  folder: string,
  args: string[],
  onLine: (line: string) => void = () => {},
): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || kept.test(name)),
  )
  const child = spawn(npm.command, [...npm.args, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  let rest = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output = (output + chunk).slice(-outputMax)
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(onLine)
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new DriverError('npm_missing', 'npm could not be run, and it is needed to install Node-RED', { cause: error }),
      ),
    )
    child.once('close', resolve)
  })
  if (code !== 0) throw asDriverError(output)
}

function asDriverError(output: string): DriverError {
  const cause = new Error(output)
  const codes = new Set(output.match(/\bE[A-Z0-9_]{3,}\b/g))
  const has = (...names: string[]) => names.some((name) => codes.has(name))
  if (has('ENOSPC', 'EDQUOT'))
    return new DriverError('disk_full', 'There is not enough disk space to install Node-RED', { cause })
  if (has('ETARGET', 'E404'))
    return new DriverError('unknown_version', 'The npm registry has no such version of Node-RED', { cause })
  if (
    has(
      'ENOTFOUND',
      'ECONNREFUSED',
      'ECONNRESET',
      'ETIMEDOUT',
      'EAI_AGAIN',
      'EHOSTUNREACH',
      'ENETUNREACH',
      'ERR_SOCKET_TIMEOUT',
    )
  ) {
    return new DriverError(
      'registry_unreachable',
      'The npm registry cannot be reached; check the network connection of the server',
      { cause },
    )
  }
  const [, said] = /npm error (?!code)(.+)/.exec(output) ?? []
  return new DriverError('install_failed', `npm could not install Node-RED${said ? `: ${said}` : ''}`, { cause })
}
