import { DriverError } from '../../driver.ts'

/** The reason npm failed. `module` as npm names it, with its version where that matters. */
export type NpmFault =
  | { kind: 'disk' | 'refused' | 'late' }
  /** `host`: the one that does not answer, where it is not the registry. */
  | { kind: 'unreachable'; host?: string }
  /** npm refuses the lock file that it has written itself; `missing` are the packages that it misses there. */
  | { kind: 'unsynced'; missing: string[] }
  | { kind: 'failing'; status: string }
  /** npm does not trust the certificate of the registry, or it is for another host. `why` in its words. */
  | { kind: 'certificate'; why: string }
  | { kind: 'missing' | 'version'; module: string }
  | { kind: 'conflict'; why: string }
  | { kind: 'other'; said: string }

export type Explain = (fault: NpmFault, cause: Error) => DriverError

const unreachable = [
  'ENOTFOUND',
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_SOCKET_TIMEOUT',
  'EPROTO',
  'FETCH_ERROR',
]

/** Node.js's codes of certificates that are refused: one for each reason of OpenSSL, and that of another host. */
const certificate =
  /^npm error code (?:\w*CERT_\w+|\w*_CERT|UNABLE_TO_\w+|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH)$/m

/** Reads the end of npm's log. */
export function faultOf(output: string): NpmFault {
  const codes = new Set(output.match(/\b(?:E[A-Z0-9_]{3,}|FETCH_ERROR)\b/g))
  const has = (...names: string[]) => names.some((name) => codes.has(name))
  if (has('ENOSPC', 'EDQUOT')) return { kind: 'disk' }
  if (has('E404')) return { kind: 'missing', module: missingIn(output) }
  if (has('ETARGET')) return { kind: 'version', module: first(/No matching version found for (\S+?)\.?$/m, output) }
  if (has('EUSAGE')) return { kind: 'unsynced', missing: all(/^npm error Missing: (\S+) from lock file/gm, output) }
  if (has('ERESOLVE')) return { kind: 'conflict', why: conflictIn(output) }
  if (has('E401', 'E403', 'ENEEDAUTH')) return { kind: 'refused' }
  const [, status] = /npm error code E(5\d\d|429)\b/.exec(output) ?? []
  if (status) return { kind: 'failing', status }
  if (certificate.test(output)) return { kind: 'certificate', why: first(/^npm error .*?reason: (\S.*)$/m, output) }
  if (has(...unreachable)) return { kind: 'unreachable', ...foreignHost(output) }
  return { kind: 'other', said: first(/^npm error (?!code )(\S.*)$/m, output).slice(0, 300) }
}

/** Some modules need a package that lies elsewhere; the registry itself has answered then. */
function foreignHost(output: string): { host?: string } {
  const failed = /request to (https?:\/\/\S+) failed/.exec(output)?.[1] ?? ''
  const host = URL.canParse(failed) ? new URL(failed).host : ''
  const answered = all(/^npm http (?:fetch|cache) \w+ 2\d\d \w+:\/\/([^/\s]+)/gm, output)
  return host !== '' && answered.length > 0 && !answered.includes(host) ? { host } : {}
}

/** The part of npm's log that explains a failure: not each download, and no remarks on our own settings. */
export const excerptOf = (output: string): string =>
  output
    .split('\n')
    .filter(
      (line) => /^npm (?:error|warn) \S/.test(line) && !/Unknown \w+ config|A complete log of this run/.test(line),
    )
    .slice(-excerptLines)
    .join('\n')

const excerptLines = 20

const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].map(([, found = '']) => found)
const first = (pattern: RegExp, text: string) => pattern.exec(text)?.[1] ?? ''

function missingIn(output: string): string {
  const named = first(/^npm error 404 +'(.+?)'/m, output)
  return named.replace(/(?<=.)@[^@]*$/, '') || decodeURIComponent(first(/- GET \S+\/([^/\s]+)/, output))
}

function conflictIn(output: string): string {
  const found = first(/^npm error Found: (\S+)/m, output)
  const [, name = '', range = '', by = ''] = /peer (?:\S+ )?(\S+)@"([^"]*)" from (\S+)/.exec(output) ?? []
  return by ? `${by} needs ${name}@${range}${found ? `, and there is ${found}` : ''}` : ''
}

/** Sentences that do not depend on what is installed. */
export function commonError(fault: NpmFault, what: string, cause: Error): DriverError {
  const error = (code: string, message: string) => new DriverError(code, message, { cause })
  switch (fault.kind) {
    case 'disk':
      return error('disk_full', `There is not enough disk space to install ${what}`)
    case 'unreachable':
      return error(
        'registry_unreachable',
        fault.host === undefined
          ? 'The npm registry cannot be reached; check the network connection of the server'
          : `A package needed for ${what} lies on ${fault.host}, and the server cannot reach that host`,
      )
    case 'unsynced':
      return error(
        'install_unsynced',
        `npm could not install ${what}: packages inside a module do not fit together${fault.missing.length > 0 ? ` (${fault.missing.join(', ')} is missing)` : ''}`,
      )
    case 'failing':
      return error('registry_failing', `The npm registry answered with an error (${fault.status}); try again later`)
    case 'certificate':
      return error(
        'registry_certificate',
        `npm does not trust the certificate of the registry${fault.why ? ` (${fault.why})` : ''}; check cafile in the settings of npm, or NODE_EXTRA_CA_CERTS`,
      )
    case 'refused':
      return error('registry_refused', `The npm registry does not allow the platform to fetch ${what}`)
    case 'late':
      return error('install_timeout', `npm took too long to install ${what} and was ended; try again later`)
    default: {
      const said = 'said' in fault ? fault.said : ''
      return error('install_failed', `npm could not install ${what}${said ? `: ${said}` : ''}`)
    }
  }
}

/** True for errors of the file system that mean that there is no room. */
export const isDiskFull = (error: unknown) =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException)?.code ?? '')
