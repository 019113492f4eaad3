import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { writeLicence } from '../features/settings/index.ts'
import { isPublicKey } from '../platform/crypto.ts'

const usage = `For the vendor of a platform:

  npm run licence -- keys <file>      makes a private key in <file> and prints the public key of it
  npm run licence -- build-in <key>   writes a public key into the source, so that every platform built from it
                                      takes licences that are signed with its private key; FORGE_LICENSE_KEYS
                                      adds keys on one platform
  npm run licence -- make <file> --organisation <name> --expires <date> [options]
                                      prints a licence that is signed with the key in <file>

  --id <id>            number of the licence; made unless given
  --tier <name>        enterprise unless given
  --valid-from <date>  now unless given
  --platform <id>      the only platform that it is for, as its license page shows it; any unless given
  --users, --teams, --instances, --devices <n>   limits; none unless given
  --note <text>
  --dev                for development only
`

export interface VendorShell {
  /** The folder that paths are relative to. */
  folder: string
  /** Where the keys of the build stand. */
  keysFile: string
  say(text: string): void
  complain(text: string): void
}

const text = { type: 'string' } as const
const options = {
  id: text,
  organisation: text,
  tier: text,
  expires: text,
  'valid-from': text,
  platform: text,
  users: text,
  teams: text,
  instances: text,
  devices: text,
  note: text,
  dev: { type: 'boolean', default: false },
} as const
const parsed = (args: readonly string[]) => parseArgs({ args: [...args], allowPositionals: true, options })
type Values = ReturnType<typeof parsed>['values']

const time = (date: string | undefined) => (date === undefined ? new Date() : new Date(date)).toISOString()

function limit(name: string, option: string, n: string | undefined) {
  if (n === undefined) return {}
  if (!/^\d{1,9}$/.test(n)) throw new TypeError(`Give --${option} as a whole number`)
  return { [name]: Number(n) }
}

const given = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })

function keys(file: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  // Never over a key that is there: licences could not be made with it any more.
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' })
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

function make(file: string, values: Values): string {
  if (!values.organisation?.trim()) throw new TypeError('Give --organisation, whom the licence is for')
  const claims = {
    id: values.id ?? crypto.randomUUID(),
    organisation: values.organisation.trim(),
    tier: values.tier ?? 'enterprise',
    validFrom: time(values['valid-from']),
    expiresAt: time(values.expires ?? 'unknown'),
    ...given('platform', values.platform),
    ...given('note', values.note),
    ...limit('users', 'users', values.users),
    ...limit('teams', 'teams', values.teams),
    ...limit('projects', 'instances', values.instances),
    ...limit('devices', 'devices', values.devices),
    ...(values.dev ? { dev: true as const } : {}),
  }
  if (claims.expiresAt <= claims.validFrom)
    throw new TypeError('It would expire before it holds: give a later --expires')
  return writeLicence(claims, createPrivateKey(readFileSync(file)))
}

/** One key a line, so that a change of them reads well. */
function buildIn(key: string, file: string): string {
  if (!isPublicKey(key)) throw new TypeError('This is not a public key as the command keys prints it')
  const source = readFileSync(file, 'utf8')
  const [, before = '', list = '', after = ''] = /^([^]*= \[)([^]*)(\]\s*)$/.exec(source) ?? []
  const built: readonly string[] = list.match(/[A-Za-z0-9+/]{40,}=*/g) ?? []
  if (built.includes(key)) return `It is in ${file} already.`
  writeFileSync(file, `${before}\n${[...built, key].map((one) => `  '${one}',\n`).join('')}${after}`)
  return `Written to ${file}: commit it. Every platform built from here takes licences of this key.`
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'Give --expires and --valid-from as dates'
  const { code, path, message } = error as NodeJS.ErrnoException
  if (code === 'EEXIST') return `${path} is there already; a key in use is not written over`
  if (code === 'ENOENT') return `There is no ${path}`
  return message
}

/** Does what the arguments ask for. @returns the exit code: 0 done, 1 not possible, 2 not understood. */
export function runLicence(args: readonly string[], shell: VendorShell): 0 | 1 | 2 {
  try {
    const { values, positionals } = parsed(args)
    const [command, subject, ...more] = positionals
    const known = command === 'keys' || command === 'make' || command === 'build-in'
    if (!known || subject === undefined || more.length > 0) {
      shell.complain(usage)
      return 2
    }
    if (command === 'build-in') shell.say(buildIn(subject, shell.keysFile))
    else
      shell.say(
        command === 'keys' ? keys(resolve(shell.folder, subject)) : make(resolve(shell.folder, subject), values),
      )
    return 0
  } catch (error) {
    shell.complain(reasonOf(error))
    return 1
  }
}
