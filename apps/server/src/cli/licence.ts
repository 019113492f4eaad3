import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { writeLicence } from '../features/settings/index.ts'

const usage = `For the vendor of a platform:

  npm run licence -- keys <file>      makes a private key in <file> and prints the public key for FORGE_LICENSE_KEYS
  npm run licence -- make <file> --organisation <name> --expires <date> [options]
                                      prints a licence that is signed with the key in <file>

  --id <id>            number of the licence; made unless given
  --tier <name>        enterprise unless given
  --valid-from <date>  now unless given
  --platform <id>      the only platform that it is for; any unless given
  --users, --teams, --instances, --devices <n>   limits; none unless given
  --note <text>
  --dev                for development only
`

const text = { type: 'string' } as const
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
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
  },
})

const time = (date: string | undefined) => (date === undefined ? new Date() : new Date(date)).toISOString()
const limit = (name: string, n: string | undefined) => (n === undefined ? {} : { [name]: Number(n) })
const given = (name: string, value: string | undefined) => (value === undefined ? {} : { [name]: value })

function keys(file: string): string {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  // Never over a key that is there: licences could not be made with it any more.
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' })
  return publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
}

function make(file: string): string {
  const claims = {
    id: values.id ?? crypto.randomUUID(),
    organisation: values.organisation ?? '',
    tier: values.tier ?? 'enterprise',
    validFrom: time(values['valid-from']),
    expiresAt: time(values.expires ?? 'unknown'),
    ...given('platform', values.platform),
    ...given('note', values.note),
    ...limit('users', values.users),
    ...limit('teams', values.teams),
    ...limit('projects', values.instances),
    ...limit('devices', values.devices),
    ...(values.dev ? { dev: true as const } : {}),
  }
  return writeLicence(claims, createPrivateKey(readFileSync(file)))
}

const [command, file] = positionals
const commands: Record<string, (file: string) => string> = { keys, make }
const run = commands[command ?? '']
if (!run || file === undefined) {
  process.stderr.write(usage)
  process.exitCode = 2
} else {
  try {
    process.stdout.write(`${run(file)}\n`)
  } catch (error) {
    process.stderr.write(
      `${error instanceof RangeError ? 'Give --expires and --valid-from as dates' : String(error)}\n`,
    )
    process.exitCode = 1
  }
}
