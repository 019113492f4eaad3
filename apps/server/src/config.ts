import { Email, Password, Username } from '@app/contract/account'
import type { Switches } from '@app/contract/switches'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import * as z from 'zod'
import { type AnalyticsConfig, analyticsOf, analyticsProblems, analyticsSettings } from './config.analytics.ts'
import { backupSettings } from './config.backup.ts'
import { type BrokerConfig, brokerOf, brokerProblems, brokerSettings } from './config.broker.ts'
import { type BillingConfig, billingOf, billingProblems, billingSettings } from './config.billing.ts'
import { type ContainersConfig, containerSettings, containersOf } from './config.containers.ts'
import { ConfigError } from './config.error.ts'
import { type LimitsConfig, limitSettings, limitsOf } from './config.limits.ts'
import { areSwitches, switchesWithout, switchNames } from './config.switches.ts'
import { fileSuffix, withFiles } from './config.files.ts'
import { always, docs, optionally, type SettingDoc, webAddress } from './config.setting.ts'
import { type TlsConfig, tlsOf, tlsProblems, tlsSettings } from './config.tls.ts'
import { type PortRange, portProblems, portSettings } from './config.ports.ts'
import { isSmtp, type MailServer, mailServer, senderAddress } from './config.mail.ts'
import { isProxyList, proxyList } from './config.proxy.ts'
import {
  decoded,
  hostName,
  isHost,
  isKey,
  isOrigin,
  isPostgres,
  isUserRange,
  listed,
  userRange,
  wholeNumber,
} from './config.values.ts'
import { isPublicKey } from './platform/crypto.ts'

export { ConfigError }

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** Every setting of the server, in the order in which they are documented. Each value is a text from the environment. */
const schema = z.object({
  FORGE_HOME: always(z.string(), {
    about:
      'Folder that holds all state: the embedded database, keys, stacks, and the files of instances. The default is for a clone; the package and the service use /var/lib/flowforge as root, otherwise ~/.flowforge.',
    expected: 'the path of a folder',
    fallback: './var',
    example: '/var/lib/flowforge',
  }),
  FORGE_PORT: always(wholeNumber(1, 65_535), {
    about: 'Port of the console and the instances over plain HTTP.',
    expected: 'a whole number from 1 to 65535',
    fallback: '3000',
    example: '8080',
  }),
  // Plain HTTP on every network of a new machine would let passwords be read on the way. Opening it is a decision.
  FORGE_HOST: always(z.string().refine(isHost), {
    about:
      'Address to listen on for plain HTTP. The default accepts connections from this machine only, because plain HTTP exposes passwords. Use a certificate, a reverse proxy with TLS, or 0.0.0.0 in a container.',
    expected: 'an IP address or a host name, without a port',
    fallback: '127.0.0.1',
    example: '0.0.0.0',
  }),
  FORGE_BASE_URL: optionally(
    z
      .string()
      .refine(isOrigin)
      .transform((text) => new URL(text).origin),
    {
      about:
        'Public address of the console, used in links, redirects and cookies. Other host names reach only /livez, /readyz, /readyz/instances and /metrics.',
      expected: 'an address such as https://forge.example.com, without a path, a query or a password',
      fallback: '`http://localhost:<FORGE_PORT>`',
      example: 'https://forge.example.com',
    },
  ),
  FORGE_INSTANCE_DOMAIN: optionally(
    z
      .string()
      .regex(hostName)
      .transform((text) => text.toLowerCase()),
    {
      about:
        'Domain of the instances: each is at `<name>.<this domain>`, with the scheme of FORGE_BASE_URL. Needs a wildcard DNS entry for this server.',
      expected: 'a host name with an optional port, such as apps.example.com or localhost:3000',
      fallback: 'the host and port of FORGE_BASE_URL',
      example: 'apps.example.com',
    },
  ),
  ...portSettings,
  ...tlsSettings,
  FORGE_DATABASE_URL: optionally(z.string().refine(isPostgres), {
    about:
      'PostgreSQL database. The default is an embedded SQLite database in FORGE_HOME. Several servers can share one database, each with its own FORGE_HOME and all with the same master key: see docs/servers.md.',
    expected:
      'a postgres:// address that names a database; signs such as @, / or # in the user name and the password are written as %40, %2F or %23',
    example: 'postgres://forge:<password>@db.example.com:5432/forge',
    secret: true,
    file: true,
  }),
  FORGE_ADMIN_USERNAME: optionally(
    z.string().refine((text) => Username.safeParse(text).success),
    {
      about:
        'User name of the first administrator, created at the start when there is none. Needs FORGE_ADMIN_EMAIL and FORGE_ADMIN_PASSWORD. Without the three the server prints a one-time link for the set-up.',
      expected: 'a user name of a-z, 0-9, - and _',
      example: 'alice',
    },
  ),
  FORGE_ADMIN_EMAIL: optionally(
    z.string().refine((text) => Email.safeParse(text).success),
    { about: 'Mail address of the first administrator.', expected: 'a mail address', example: 'alice@example.com' },
  ),
  FORGE_ADMIN_PASSWORD: optionally(
    z.string().refine((text) => Password.safeParse(text).success),
    {
      about: 'Password of the first administrator. Ignored once there is an administrator.',
      expected: 'a password of at least 8 characters',
      example: '<at least 8 characters>',
      secret: true,
      file: true,
    },
  ),
  FORGE_SECRET_KEY: optionally(z.string().refine(isKey).transform(decoded), {
    about:
      'Master key that encrypts the secrets in the database. By default a key is generated at the first start and stored in keys/master.key of FORGE_HOME. A server with the wrong key refuses to start. If you lose the key, you lose the secrets. See docs/servers.md for several servers and for replacing the key.',
    expected: '32 random bytes in base64, as `openssl rand -base64 32` prints them',
    example: '<output of openssl rand -base64 32>',
    secret: true,
    file: true,
  }),
  FORGE_SMTP_URL: optionally(z.string().refine(isSmtp), {
    about:
      'Mail server for outgoing mail. smtp:// upgrades to TLS when the server offers it, and requires TLS when there is a password; smtps:// uses TLS from the start. Without a mail server people cannot sign up or reset their password themselves; administrators hand over links.',
    expected:
      'an smtp:// or smtps:// address, with a port unless that is 587 or 465; signs such as @ or / in the user name and the password are written as %40 or %2F',
    example: 'smtps://forge:<password>@mail.example.com',
    secret: true,
    file: true,
  }),
  FORGE_MAIL_FROM: optionally(
    z.string().refine((text) => senderAddress(text) !== undefined),
    {
      about: 'Sender of the mail. Mail servers often accept only addresses of their own domain.',
      expected: 'a mail address, alone or as `Name <address>`',
      fallback: '`FlowForge <flowforge@host>`, with the host of FORGE_BASE_URL',
      example: 'FlowForge <forge@example.com>',
    },
  ),
  FORGE_WARM_PROCESSES: always(wholeNumber(0, 100), {
    about:
      'Number of warm processes: Node-RED is loaded and waits for the next start. Each takes about 70 MB of memory and saves half a second per start. They end when memory is short. With `docker` first in FORGE_DRIVERS, containers wait in their place.',
    expected: 'a whole number from 0 to 100',
    fallback: '2',
    example: '0',
  }),
  FORGE_STEADY_SECONDS: always(wholeNumber(0, 600), {
    about:
      'Seconds that new flows must run without a crash before a deployment succeeds. If they crash, the previous flows are restored.',
    expected: 'a whole number from 0 to 600',
    fallback: '3',
    example: '30',
  }),
  FORGE_CONTEXT_MB: always(wholeNumber(1, 256), {
    about:
      "Size limit of each instance's persistent context, in MB. Storing beyond it raises an error in the flow. A change applies at the next start of an instance.",
    expected: 'a whole number from 1 to 256',
    fallback: '16',
    example: '64',
  }),
  FORGE_INSTANCE_UIDS: always(z.string().refine(isUserRange).transform(userRange), {
    about:
      'Range of user ids (UIDs) for instances: each instance runs as a user of its own. Nothing else on the machine may use them; they need no entry in /etc/passwd. Works only when the server runs as root: see docs/isolation.md. With `none` all instances run as the user of the server and can read its files.',
    expected: 'a range of two numbers from 1000 to 4294967294 such as 300000-300999, or none',
    fallback: '200000-265535',
    example: '300000-300999',
  }),
  ...limitSettings,
  ...containerSettings,
  FORGE_FEATURES_OFF: always(z.string().refine(areSwitches).transform(switchesWithout), {
    about: 'Features to turn off, separated by commas. Their data is kept.',
    expected: `a list of names out of ${switchNames.join(', ')}`,
    fallback: '',
    example: 'shared-library',
  }),
  ...brokerSettings,
  ...billingSettings,
  FORGE_METRICS_TOKEN: optionally(z.string().min(16).max(512), {
    about: 'Token for reading /metrics, sent as `Authorization: Bearer <token>`. Without it /metrics answers 404.',
    expected: 'a text of 16 to 512 characters',
    example: '<output of openssl rand -hex 24>',
    secret: true,
    file: true,
  }),
  ...backupSettings,
  FORGE_LICENSE_KEYS: optionally(
    z.string().refine((text) => listed(text).every(isPublicKey)),
    {
      about:
        'Public keys that verify licenses, in addition to those built in. Without any key no license can be applied, and there are no limits.',
      expected: 'an Ed25519 public key as `npm run licence -- keys` prints it, or several with commas between them',
      example: '<output of npm run licence -- keys vendor.pem>',
    },
  ),
  FORGE_DOCUMENTATION_URL: webAddress(
    'Address of the documentation that the console links to. Without it that is the handbook which the server serves at /docs/.',
    'https://docs.example.com/flowforge',
  ),
  FORGE_TELEMETRY_URL: webAddress(
    'Address for telemetry, sent once a day as JSON by POST: version and counts of users, teams and instances, with a random id and no names or addresses. Administrators can turn it off, unless the platform has a license. Without this setting nothing is sent.',
    'https://telemetry.example.com/flowforge',
  ),
  ...analyticsSettings,
  FORGE_NODE_CATALOGUE_URL: webAddress(
    "Node catalogue in the format of the editor's palette. Before a deployment the server looks up modules of unknown node types in it, and fetches it at most once a day. Without it nothing is looked up.",
    'https://catalogue.nodered.org/catalogue.json',
  ),
  FORGE_DATABASE_POOL: always(wholeNumber(2, 500), {
    about:
      'Maximum number of PostgreSQL connections of this server; one more hears events. All servers together must stay below max_connections of PostgreSQL.',
    expected: 'a whole number from 2 to 500',
    fallback: '10',
    example: '20',
  }),
  FORGE_DATABASE_WAIT_SECONDS: always(wholeNumber(0, 3_600), {
    about: 'Seconds to wait at the start for PostgreSQL to answer. A wrong password fails at once.',
    expected: 'a whole number from 0 to 3600',
    fallback: '60',
    example: '300',
  }),
  FORGE_DISK_RESERVE_MB: always(wholeNumber(0, 10_000), {
    about:
      'Disk space to reserve in FORGE_HOME, in MB. It is released when the disk is full, so that administrators can sign in and delete data, and reserved again later. 0 reserves none.',
    expected: 'a whole number from 0 to 10000',
    fallback: '32',
    example: '100',
  }),
  FORGE_STOP_SECONDS: always(wholeNumber(0, 600), {
    about:
      'Seconds that a stopping server waits for running requests. WebSockets and event streams close when no other request is running. A second signal ends the wait.',
    expected: 'a whole number from 0 to 600',
    fallback: '30',
    example: '5',
  }),
  FORGE_LOG_LEVEL: always(z.enum(levels), {
    about: 'Log level of the server. The log goes to standard output, one JSON object per line.',
    expected: `one of ${levels.join(', ')}`,
    fallback: 'info',
    example: 'warn',
  }),
  FORGE_TRUST_PROXY: always(z.string().refine(isProxyList).transform(proxyList), {
    about:
      'Reverse proxies whose X-Forwarded-For is trusted: addresses, networks, or the names loopback, linklocal and uniquelocal, separated by commas. With false, the connecting address is the client. For a proxy on this machine use FORGE_PROXY_SECRET, because flows connect from loopback too.',
    expected:
      'false, or the addresses and networks of the reverse proxies such as 10.0.0.5, 10.0.1.0/24 or loopback, with commas between them; a number of proxies is not taken, because it would believe whoever connects',
    fallback: 'false',
    example: '10.0.0.5',
  }),
  FORGE_PROXY_SECRET: optionally(z.string().regex(/^[\x21-\x7e]{24,200}$/), {
    about:
      'Secret that identifies the reverse proxy: the proxy sends it as X-Forge-Proxy-Secret, and X-Forwarded-For is trusted only in requests that carry it. Instances never see the header. Needed when the proxy runs on the same machine; list further proxies in front of it in FORGE_TRUST_PROXY.',
    expected: 'a text of 24 to 200 characters without spaces',
    example: '<output of openssl rand -hex 32>',
    secret: true,
    file: true,
  }),
})

/** The documentation of every setting by its name, for the page in docs/settings.md. */
export const settings: Record<string, SettingDoc> = Object.fromEntries(
  Object.entries(schema.shape).flatMap(([name, one]) => {
    const doc = docs.get(one)
    return doc ? [[name, doc]] : []
  }),
)

/** Settings whose value may be in a file. */
const fromFiles = Object.entries(settings).flatMap(([name, doc]) => (doc.file ? [name] : []))

/** The server's settings, checked. `instanceDomain` may carry a port; `secretKey` has 32 bytes. */
export type Config = LimitsConfig & {
  /** Absolute. */
  home: string
  port: number
  host: string
  /** Scheme, host and port; no slash at the end. */
  baseUrl: string
  instanceDomain: string
  /** Instances answer on ports of their own, in the place of names; absent: below `instanceDomain`. */
  instancePorts?: PortRange
  /** Absent: the server speaks plain HTTP alone. */
  tls?: TlsConfig
  databaseUrl?: string
  admin?: { username: string; email: string; password: string }
  secretKey?: Buffer
  /** Absent: no mail can be sent. */
  mail?: MailServer
  /** Public keys for licences, base64; absent: none can be applied. */
  licenceKeys?: string[]
  /** Absent: the console's own page. */
  documentationUrl?: string
  /** Absent: nothing is sent. */
  telemetryUrl?: string
  /** Absent: consoles send nothing. */
  analytics?: AnalyticsConfig
  nodeCatalogueUrl?: string
  warmProcesses: number
  /** Time that new contents must run without a crash. */
  steadySeconds: number
  /** Limit of the persistent context of an instance, in MB. */
  contextMb: number
  /** Interval at which the server says that it runs the instances, and time it may fail to; no setting, for tests. */
  hostTimes?: { beatMs: number; holdMs: number }
  /** Users for instances; absent: all run as the server's. */
  instanceUsers?: { first: number; last: number }
  /** The engine of containers; absent: the usual one, which is not chosen. */
  containers?: ContainersConfig
  features: Switches
  broker?: BrokerConfig
  /** Absent: billing is off. */
  billing?: BillingConfig
  /** Absent: no figures are shown. */
  metricsToken?: string
  backup?: {
    passphrase?: string
    /** `HH:MM`, of the machine; only together with a passphrase. */
    at?: string
    keep: number
  }
  /** Connections to PostgreSQL; absent: 10. */
  databasePool?: number
  databaseWaitSeconds: number
  /** Bytes that are kept to be given up when the disk is full. */
  diskReserve: number
  /** Maximum wait for requests under way when the server stops. */
  stopSeconds: number
  logLevel: (typeof levels)[number]
  /** Addresses and networks of reverse proxies; none is believed when empty. */
  trustProxy: readonly string[]
  proxySecret?: string
}

/**
 * Reads the server's settings from an environment. A name set to nothing counts as not set.
 * @throws ConfigError with every problem at once.
 */
export function readConfig(env: Record<string, string | undefined>): Config {
  const named: Record<string, string> = Object.fromEntries(
    Object.entries(env).flatMap(([name, text]) => (text?.trim() ? [[name, text.trim()]] : [])),
  )
  const { given, files, problems: unread } = withFiles(named, fromFiles)
  const result = schema.safeParse(given)
  const problems = [...unread, ...unknownNames(given), ...adminProblems(given)]
  if (!result.success) {
    const bad = new Set(result.error.issues.map((issue) => String(issue.path[0])))
    throw new ConfigError([...problems, ...[...bad].map((name) => sentence(name, given[name], files[name]))])
  }
  const values = result.data
  const baseUrl = values.FORGE_BASE_URL ?? `http://localhost:${values.FORGE_PORT}`
  problems.push(...portProblems(values, baseUrl, settings.FORGE_INSTANCE_DOMAIN?.expected))
  if (values.FORGE_BACKUP_AT && !values.FORGE_BACKUP_PASSPHRASE)
    problems.push(
      `FORGE_BACKUP_PASSPHRASE is not set; it must be ${settings.FORGE_BACKUP_PASSPHRASE?.expected}, because FORGE_BACKUP_AT asks for nightly backups.`,
    )
  problems.push(...tlsProblems(values, baseUrl))
  problems.push(...analyticsProblems(values))
  problems.push(...brokerProblems(values, settings.FORGE_BROKER_PASSWORD?.expected))
  problems.push(...billingProblems(values, (name) => settings[name]?.expected))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    home: resolve(values.FORGE_HOME),
    port: values.FORGE_PORT,
    host: values.FORGE_HOST,
    baseUrl,
    // As browsers write it: without the port that the scheme implies.
    instanceDomain: new URL(`${new URL(baseUrl).protocol}//${values.FORGE_INSTANCE_DOMAIN ?? new URL(baseUrl).host}`)
      .host,
    ...(values.FORGE_INSTANCE_PORTS && { instancePorts: values.FORGE_INSTANCE_PORTS }),
    warmProcesses: values.FORGE_WARM_PROCESSES,
    steadySeconds: values.FORGE_STEADY_SECONDS,
    contextMb: values.FORGE_CONTEXT_MB,
    ...(values.FORGE_INSTANCE_UIDS && { instanceUsers: values.FORGE_INSTANCE_UIDS }),
    ...limitsOf(values),
    ...containersOf(values),
    features: values.FORGE_FEATURES_OFF,
    ...tlsOf(values, baseUrl),
    ...brokerOf(values),
    ...billingOf(values),
    ...(values.FORGE_METRICS_TOKEN && { metricsToken: values.FORGE_METRICS_TOKEN }),
    backup: {
      keep: values.FORGE_BACKUP_KEEP,
      ...(values.FORGE_BACKUP_PASSPHRASE && { passphrase: values.FORGE_BACKUP_PASSPHRASE }),
      ...(values.FORGE_BACKUP_AT && { at: values.FORGE_BACKUP_AT }),
    },
    databasePool: values.FORGE_DATABASE_POOL,
    databaseWaitSeconds: values.FORGE_DATABASE_WAIT_SECONDS,
    diskReserve: values.FORGE_DISK_RESERVE_MB * 1024 * 1024,
    stopSeconds: values.FORGE_STOP_SECONDS,
    logLevel: values.FORGE_LOG_LEVEL,
    trustProxy: values.FORGE_TRUST_PROXY,
    ...(values.FORGE_PROXY_SECRET && { proxySecret: values.FORGE_PROXY_SECRET }),
    ...(values.FORGE_DATABASE_URL && { databaseUrl: values.FORGE_DATABASE_URL }),
    ...(values.FORGE_LICENSE_KEYS && { licenceKeys: listed(values.FORGE_LICENSE_KEYS) }),
    ...(values.FORGE_DOCUMENTATION_URL && { documentationUrl: values.FORGE_DOCUMENTATION_URL }),
    ...(values.FORGE_NODE_CATALOGUE_URL && { nodeCatalogueUrl: values.FORGE_NODE_CATALOGUE_URL }),
    ...analyticsOf(values),
    ...(values.FORGE_TELEMETRY_URL && { telemetryUrl: values.FORGE_TELEMETRY_URL }),
    ...(values.FORGE_SECRET_KEY && { secretKey: values.FORGE_SECRET_KEY }),
    ...(values.FORGE_SMTP_URL && { mail: mailServer(values.FORGE_SMTP_URL, values.FORGE_MAIL_FROM, baseUrl) }),
    ...(values.FORGE_ADMIN_USERNAME &&
      values.FORGE_ADMIN_EMAIL &&
      values.FORGE_ADMIN_PASSWORD && {
        admin: {
          username: values.FORGE_ADMIN_USERNAME,
          email: values.FORGE_ADMIN_EMAIL,
          password: values.FORGE_ADMIN_PASSWORD,
        },
      }),
  }
}

/** Where this server answers programs of the same machine: what it listens on, or the loopback for "everywhere". */
export function localUrl({ host, port }: Pick<Config, 'host' | 'port'>): string {
  const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${isIP(own) === 6 ? `[${own}]` : own}:${port}`
}

/** The address of the platform for instances on other machines, without a trailing slash. */
export const swarmUrl = ({ containers, baseUrl }: Pick<Config, 'containers' | 'baseUrl'>): string =>
  containers?.swarm.url ?? baseUrl.replace(/\/$/, '')

/** The same for pods of a cluster. */
export const kubernetesUrl = ({ containers, baseUrl }: Pick<Config, 'containers' | 'baseUrl'>): string =>
  containers?.kubernetes.url ?? baseUrl.replace(/\/$/, '')

function sentence(name: string, given: string | undefined, file: string | undefined): string {
  const doc = settings[name]
  if (file) return `${name}${fileSuffix} is "${file}", which holds something else; it must hold ${doc?.expected}.`
  return `${name} is ${doc?.secret ? 'set to something else' : `"${given}"`}; it must be ${doc?.expected}.`
}

/** A misspelt name would silently leave the default in place. Names for test runs are left alone. */
function unknownNames(given: Record<string, string>): string[] {
  return Object.keys(given)
    .filter((name) => name.startsWith('FORGE_') && !name.startsWith('FORGE_TEST_') && !(name in settings))
    .map((name) => `${name} is not a setting of this server; the settings are ${Object.keys(settings).join(', ')}.`)
}

function adminProblems(given: Record<string, string>): string[] {
  const names = ['FORGE_ADMIN_USERNAME', 'FORGE_ADMIN_EMAIL', 'FORGE_ADMIN_PASSWORD']
  const missing = names.filter((name) => given[name] === undefined)
  if (missing.length === 0 || missing.length === names.length) return []
  return missing.map(
    (name) =>
      `${name} is not set; it must be ${settings[name]?.expected}, because the other settings of the first administrator are given.`,
  )
}
