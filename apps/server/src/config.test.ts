import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { letsEncrypt } from './config.acme.ts'
import { switchNames } from './config.switches.ts'
import { ConfigError, kubernetesUrl, localUrl, readConfig, settings, swarmUrl } from './config.ts'

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('nothing set gives a server for this machine only', () => {
  expect(readConfig({ PATH: '/bin', HOME: '/root' })).toEqual({
    home: resolve('var'),
    port: 3000,
    host: '127.0.0.1',
    baseUrl: 'http://localhost:3000',
    instanceDomain: 'localhost:3000',
    warmProcesses: 2,
    steadySeconds: 3,
    contextMb: 16,
    instanceUsers: { first: 200_000, last: 265_535 },
    features: Object.fromEntries(switchNames.map((name) => [name, true])),
    broker: { hooksFrom: ['loopback'] },
    backup: { keep: 7 },
    containers: {
      drivers: ['local'],
      socket: '/var/run/docker.sock',
      image: expect.stringMatching(/^node:24\S+@sha256:/) as string,
      network: 'flowforge',
      swarm: { network: 'flowforge-swarm', constraints: [] },
      kubernetes: {
        namespace: 'flowforge',
        claim: 'flowforge',
        pullSecrets: [],
        nodeSelector: {},
        tolerations: [],
        requests: { cpu: 0.05, memory: 1 },
        waitSeconds: 120,
      },
    },
    databasePool: 10,
    databaseWaitSeconds: 60,
    diskReserve: 32 * 1024 * 1024,
    stopSeconds: 30,
    logLevel: 'info',
    trustProxy: [],
  })
})

test('a broker of the operator needs a password and no user, and there is none where nothing needs it', () => {
  const given = { FORGE_BROKER_URL: 'mqtts://mqtt.example.com', FORGE_BROKER_PASSWORD: 'of-the-platform-itself' }
  const broker = { hooksFrom: ['loopback'], url: given.FORGE_BROKER_URL, password: given.FORGE_BROKER_PASSWORD }
  expect(readConfig(given).broker).toEqual(broker)
  const mosquitto = { ...given, FORGE_BROKER_AUTH: 'mosquitto' }
  expect(readConfig(mosquitto).broker).toEqual({ ...broker, auth: 'mosquitto' })
  expect(problemsOf({ FORGE_BROKER_AUTH: 'mosquitto' })).toEqual([
    expect.stringContaining('FORGE_BROKER_URL is not set'),
  ])
  expect(problemsOf({ FORGE_BROKER_URL: given.FORGE_BROKER_URL })).toEqual([
    expect.stringContaining('FORGE_BROKER_PASSWORD is not set'),
  ])
  for (const url of ['http://mqtt.example.com', 'mqtt://me@mqtt.example.com', 'mqtt://', 'nonsense'])
    expect(problemsOf({ ...given, FORGE_BROKER_URL: url })).toEqual([expect.stringContaining('FORGE_BROKER_URL')])
  expect(readConfig({ FORGE_FEATURES_OFF: 'devices,projectComms' }).broker).toBeUndefined()
})

test('instances start in containers where FORGE_DRIVERS says so', () => {
  const given = { FORGE_DRIVERS: 'docker', FORGE_DOCKER_IMAGE: 'registry.example.com/node:24' }
  expect(readConfig(given).containers).toMatchObject({ drivers: ['docker'], image: 'registry.example.com/node:24' })
  expect(readConfig({ FORGE_DRIVERS: 'local,docker' }).containers?.drivers).toEqual(['local', 'docker'])
  expect(problemsOf({ FORGE_DRIVERS: 'podman' })).toEqual([expect.stringContaining('FORGE_DRIVERS')])
  expect(problemsOf({ FORGE_DOCKER_SOCKET: 'tcp://engine:2375' })).toEqual([
    expect.stringContaining('FORGE_DOCKER_SOCKET'),
  ])
})

test('instances start as services of a swarm where FORGE_DRIVERS says so', () => {
  const given = {
    FORGE_DRIVERS: 'local,docker,swarm',
    FORGE_SWARM_CONSTRAINTS: 'node.labels.flowforge==1, node.role != manager',
    FORGE_SWARM_URL: 'http://10.0.0.5:3000/',
  }
  const { containers, baseUrl } = readConfig(given)
  expect(containers?.drivers).toEqual(['local', 'docker', 'swarm'])
  expect(containers?.swarm).toEqual({
    network: 'flowforge-swarm',
    constraints: ['node.labels.flowforge==1', 'node.role != manager'],
    url: 'http://10.0.0.5:3000',
  })
  expect(swarmUrl({ containers: containers!, baseUrl })).toBe('http://10.0.0.5:3000')
  expect(swarmUrl(readConfig({ FORGE_BASE_URL: 'https://forge.example.com' }))).toBe('https://forge.example.com')
  for (const [name, wrong] of [
    ['FORGE_DRIVERS', 'swarm,swarm'],
    ['FORGE_SWARM_CONSTRAINTS', '--privileged'],
    ['FORGE_SWARM_URL', 'http://10.0.0.5/path'],
  ] as const)
    expect(problemsOf({ [name]: wrong })).toEqual([expect.stringContaining(name)])
})

test('instances start as pods of a cluster where FORGE_DRIVERS says so', () => {
  const { containers, baseUrl } = readConfig({
    FORGE_DRIVERS: 'kubernetes,local',
    FORGE_KUBERNETES_URL: 'http://flowforge.flows.svc:3000/',
    FORGE_KUBERNETES_NODES: 'pool=flows, example.com/disk=fast',
    FORGE_KUBERNETES_TOLERATIONS: 'dedicated=flows:NoSchedule,gpu:NoExecute,edge',
    FORGE_KUBERNETES_PULL_SECRETS: 'registry',
    FORGE_KUBERNETES_REQUEST_MEMORY: '50',
  })
  expect(containers?.drivers).toEqual(['kubernetes', 'local'])
  expect(containers?.kubernetes).toEqual({
    namespace: 'flowforge',
    claim: 'flowforge',
    url: 'http://flowforge.flows.svc:3000',
    nodeSelector: { pool: 'flows', 'example.com/disk': 'fast' },
    tolerations: [
      { key: 'dedicated', operator: 'Equal', value: 'flows', effect: 'NoSchedule' },
      { key: 'gpu', operator: 'Exists', effect: 'NoExecute' },
      { key: 'edge', operator: 'Exists' },
    ],
    pullSecrets: ['registry'],
    requests: { cpu: 0.05, memory: 0.5 },
    waitSeconds: 120,
  })
  expect(kubernetesUrl({ containers: containers!, baseUrl })).toBe('http://flowforge.flows.svc:3000')
  for (const [name, wrong] of [
    ['FORGE_KUBERNETES_CONFIG', 'kubeconfig'],
    ['FORGE_KUBERNETES_NAMESPACE', 'Flows'],
    ['FORGE_KUBERNETES_NODES', 'pool'],
    ['FORGE_KUBERNETES_TOLERATIONS', 'dedicated=flows:Never'],
    ['FORGE_KUBERNETES_REQUEST_MEMORY', '0'],
    ['FORGE_KUBERNETES_URL', 'flowforge.svc'],
  ] as const)
    expect(problemsOf({ [name]: wrong })).toEqual([expect.stringContaining(name)])
})

test('product analytics needs a key and a server', () => {
  const given = { FORGE_ANALYTICS_KEY: 'phc_example', FORGE_ANALYTICS_URL: 'https://Eu.example.com/' }
  expect(readConfig(given).analytics).toEqual({ key: 'phc_example', url: 'https://eu.example.com' })
  expect(readConfig({})).not.toHaveProperty('analytics')
  const { FORGE_ANALYTICS_KEY, FORGE_ANALYTICS_URL } = given
  expect(problemsOf({ FORGE_ANALYTICS_KEY })).toEqual([expect.stringContaining('FORGE_ANALYTICS_URL is not set')])
  expect(problemsOf({ FORGE_ANALYTICS_URL })).toEqual([expect.stringContaining('FORGE_ANALYTICS_KEY is not set')])
  for (const url of ['https://eu.example.com; script-src *', 'ftp://eu.example.com', 'https://eu.example.com/x'])
    expect(problemsOf({ ...given, FORGE_ANALYTICS_URL: url })).toEqual([expect.stringContaining('FORGE_ANALYTICS_URL')])
})

test('the address and the domain of instances follow from the port, and from each other', () => {
  expect(readConfig({ FORGE_PORT: '8080' })).toMatchObject({
    baseUrl: 'http://localhost:8080',
    instanceDomain: 'localhost:8080',
  })
  expect(readConfig({ FORGE_BASE_URL: 'https://Forge.example.com/', FORGE_PORT: '8080' })).toMatchObject({
    port: 8080,
    baseUrl: 'https://forge.example.com',
    instanceDomain: 'forge.example.com',
  })
  expect(readConfig({ FORGE_INSTANCE_DOMAIN: 'Apps.example.com' }).instanceDomain).toBe('apps.example.com')
  expect(readConfig({ FORGE_INSTANCE_DOMAIN: 'apps.example.com:80' }).instanceDomain).toBe('apps.example.com')
})

test('mail goes through the server of one address, from one sender', () => {
  const mailOf = (env: Record<string, string>) =>
    readConfig({ FORGE_BASE_URL: 'https://forge.example.com', ...env }).mail
  expect(mailOf({})).toBeUndefined()
  expect(mailOf({ FORGE_SMTP_URL: 'smtp://mail.example.com' })).toEqual({
    host: 'mail.example.com',
    port: 587,
    secure: false,
    from: 'FlowForge <flowforge@forge.example.com>',
  })
  const from = 'Flow Forge <forge@example.com>'
  expect(mailOf({ FORGE_SMTP_URL: 'smtps://me%40example.com:p%2Fw@mail.example.com', FORGE_MAIL_FROM: from })).toEqual({
    host: 'mail.example.com',
    port: 465,
    secure: true,
    user: 'me@example.com',
    password: 'p/w',
    from,
  })
  expect(mailOf({ FORGE_SMTP_URL: 'smtp://[::1]:2525' })).toMatchObject({ host: '::1', port: 2525 })
})

test.each([
  ['FORGE_SMTP_URL', 'mail.example.com'],
  ['FORGE_SMTP_URL', 'http://mail.example.com'],
  ['FORGE_SMTP_URL', 'smtp://'],
  ['FORGE_SMTP_URL', 'smtp://:secret@mail.example.com'],
  ['FORGE_SMTP_URL', 'smtp://me:%zz@mail.example.com'],
  ['FORGE_SMTP_URL', 'smtp://mail.example.com/path'],
  ['FORGE_SMTP_URL', 'smtp://mail.example.com?pool=true'],
  ['FORGE_MAIL_FROM', 'nobody'],
  ['FORGE_MAIL_FROM', 'A <a@b.c>, B <b@b.c>'],
  ['FORGE_MAIL_FROM', 'A <a@b.c\nBcc: x@y.z>'],
])('%s=%j is no setting for mail, and no password is shown', (name, text) => {
  const [problem, ...more] = problemsOf({ [name]: text })
  expect(more).toEqual([])
  expect(problem).toMatch(new RegExp(`^${name} is [^]*; it must be `))
  expect(problem).not.toMatch(/secret|zz/)
})

test('everything set is read with its type', () => {
  const key = randomBytes(32)
  const config = readConfig({
    FORGE_HOME: '/srv/forge',
    FORGE_HOST: '::',
    FORGE_DATABASE_URL: 'postgres://forge:pw@db/forge',
    FORGE_ADMIN_USERNAME: 'alice',
    FORGE_ADMIN_EMAIL: 'alice@example.com',
    FORGE_ADMIN_PASSWORD: 'correct horse',
    FORGE_SECRET_KEY: key.toString('base64'),
    FORGE_WARM_PROCESSES: '0',
    FORGE_INSTANCE_UIDS: '300000-300999',
    FORGE_LOG_LEVEL: 'debug',
    FORGE_TRUST_PROXY: '10.0.0.5, fd00::/8,loopback',
    FORGE_PROXY_SECRET: 'a-secret-of-the-proxy-and-nobody-else',
  })
  expect(config).toMatchObject({
    home: '/srv/forge',
    host: '::',
    databaseUrl: 'postgres://forge:pw@db/forge',
    admin: { username: 'alice', email: 'alice@example.com', password: 'correct horse' },
    warmProcesses: 0,
    steadySeconds: 3,
    contextMb: 16,
    instanceUsers: { first: 300_000, last: 300_999 },
    logLevel: 'debug',
    trustProxy: ['10.0.0.5', 'fd00::/8', 'loopback'],
    proxySecret: 'a-secret-of-the-proxy-and-nobody-else',
  })
  expect(config.secretKey?.equals(key)).toBe(true)
})

test('a name set to nothing counts as not set', () => {
  expect(readConfig({ FORGE_PORT: '', FORGE_TRUST_PROXY: ' ', FORGE_DATABASE_URL: '' })).toEqual(readConfig({}))
})

test.each([
  ['FORGE_PORT', '80x', 'a whole number from 1 to 65535'],
  ['FORGE_PORT', '0', 'a whole number from 1 to 65535'],
  ['FORGE_PORT', '65536', 'a whole number from 1 to 65535'],
  ['FORGE_HOST', 'localhost:3000', 'an IP address or a host name'],
  ['FORGE_BASE_URL', 'forge.example.com', 'an address such as'],
  ['FORGE_BASE_URL', 'ftp://forge.example.com', 'an address such as'],
  ['FORGE_BASE_URL', 'https://example.com/forge', 'without a path'],
  ['FORGE_STRIPE_API_URL', 'https://proxy.example.com/stripe', 'without a path'],
  ['FORGE_INSTANCE_DOMAIN', 'https://apps.example.com', 'a host name'],
  ['FORGE_INSTANCE_DOMAIN', '*.apps.example.com', 'a host name'],
  ['FORGE_LOG_LEVEL', 'loud', 'one of fatal, error'],
  ...[
    'true',
    '1',
    '2',
    '0.0.0.0/0',
    '::/0',
    '10.0.0',
    '10.0.0.5/33',
    '10.0.0.0/255.0.0.0',
    'proxy.example.com',
    '10.0.0.5,,loopback',
  ].map((value) => ['FORGE_TRUST_PROXY', value, 'addresses and networks of the reverse proxies such as 10.0.0.5']),
])('%s of %s stops with a sentence', (name, value, expected) => {
  const problems = problemsOf({ [name]: value })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(`${name} is "${value}"; it must be `)
  expect(problems[0]).toContain(expected)
})

test.each([
  ['FORGE_DATABASE_URL', 'mysql://root:hunter2@db/forge'],
  ['FORGE_DATABASE_URL', 'postgres://root:hunter2@db'],
  ['FORGE_SECRET_KEY', 'hunter2'],
])('a bad %s is named without its value', (name, value) => {
  const problems = problemsOf({ [name]: value })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(`${name} is set to something else; it must be ${settings[name]?.expected}.`)
  expect(problems[0]).not.toContain('hunter2')
})

test('all problems are named at once', () => {
  const problems = problemsOf({ FORGE_PORT: 'x', FORGE_LOG_LEVEL: 'x', FORGE_PROT: '1' })
  expect(problems.map((problem) => problem.replace(/ .*/, '')).sort()).toEqual([
    'FORGE_LOG_LEVEL',
    'FORGE_PORT',
    'FORGE_PROT',
  ])
})

test('a misspelt name stops the start; names for test runs do not', () => {
  expect(problemsOf({ FORGE_BASEURL: 'http://x' })[0]).toContain('FORGE_BASEURL is not a setting')
  expect(problemsOf({ FORGE_TEST_BROWSER: '1' })).toEqual([])
})

test('the first administrator is given whole or not at all', () => {
  const problems = problemsOf({ FORGE_ADMIN_USERNAME: 'alice', FORGE_ADMIN_PASSWORD: 'correct horse' })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('FORGE_ADMIN_EMAIL is not set')
  expect(problems[0]).not.toContain('correct horse')
})

test('an IP address cannot carry the names of instances', () => {
  expect(problemsOf({ FORGE_BASE_URL: 'http://192.0.2.7:3000' })[0]).toContain('FORGE_INSTANCE_DOMAIN is not set')
  expect(problemsOf({ FORGE_BASE_URL: 'http://[2001:db8::1]:3000' })[0]).toContain('FORGE_INSTANCE_DOMAIN is not set')
  expect(
    readConfig({ FORGE_BASE_URL: 'http://192.0.2.7:3000', FORGE_INSTANCE_DOMAIN: 'apps.example.com' }).instanceDomain,
  ).toBe('apps.example.com')
})

test('ports of instances are a range that nothing else of the platform is in, and take the place of names', () => {
  const ports = { FORGE_INSTANCE_PORTS: '21000-21999' }
  expect(readConfig({ ...ports, FORGE_BASE_URL: 'http://192.0.2.7:3000' }).instancePorts).toEqual({
    first: 21_000,
    last: 21_999,
  })
  for (const bad of ['21000', '80-90', '21000-20000', '21000-70000', 'all'])
    expect(problemsOf({ FORGE_INSTANCE_PORTS: bad })[0]).toContain('FORGE_INSTANCE_PORTS is')
  expect(problemsOf({ ...ports, FORGE_INSTANCE_DOMAIN: 'apps.example.com' })).toEqual([
    'FORGE_INSTANCE_PORTS and FORGE_INSTANCE_DOMAIN are both set; set one of them.',
  ])
  expect(problemsOf({ ...ports, FORGE_PORT: '21500', FORGE_BASE_URL: 'https://forge.example.com' })).toEqual([
    'FORGE_INSTANCE_PORTS holds FORGE_PORT, 21500; choose a range without it.',
  ])
})

test('every example is a value that its setting takes, but for placeholders', () => {
  const examples = Object.entries(settings).filter(([, { example }]) => !/<[^@>]+>/.test(example))
  expect(examples.length).toBeGreaterThan(60)
  for (const [name, { example }] of examples)
    for (const problem of problemsOf({ [name]: example }))
      expect(problem).not.toMatch(new RegExp(`^${name} is .*must be`))
})

test('every secret can be in a file', () => {
  for (const { secret, file } of Object.values(settings)) expect(Boolean(file)).toBe(Boolean(secret))
})

test('every setting says what it is for', () => {
  for (const [name, doc] of Object.entries(settings)) {
    expect(name).toMatch(/^FORGE_[A-Z_]+$/)
    expect(doc.about).toMatch(/\.$/)
    expect(doc.expected).toMatch(/^(a|an|the|one|false|32)\b/)
  }
})

test.each([
  ['127.0.0.1', 'http://127.0.0.1:3000'],
  ['0.0.0.0', 'http://127.0.0.1:3000'],
  ['::', 'http://[::1]:3000'],
  ['localhost', 'http://localhost:3000'],
  ['10.0.0.5', 'http://10.0.0.5:3000'],
  ['fd00::5', 'http://[fd00::5]:3000'],
])('a server that listens on %s is reached from its machine at %s', (host, url) => {
  expect(localUrl({ host, port: 3000 })).toBe(url)
})

test('TLS needs a certificate, its key and an https:// address, and ports of its own', () => {
  const files = { FORGE_TLS_CERT_FILE: '/tls/cert.pem', FORGE_TLS_KEY_FILE: '/tls/key.pem' }
  const given = { ...files, FORGE_BASE_URL: 'https://forge.example.com' }
  const [certFile, keyFile] = ['/tls/cert.pem', '/tls/key.pem']
  expect(readConfig(given).tls).toEqual({ source: { kind: 'files', certFile, keyFile }, port: 443 })
  expect(readConfig({ ...given, FORGE_BASE_URL: 'https://forge.example.com:8443' }).tls?.port).toBe(8443)
  const more = { FORGE_TLS_PORT: '9443', FORGE_TLS_HOST: '192.0.2.7', FORGE_HTTP_REDIRECT_PORT: '80' }
  const whole = { source: { kind: 'files', certFile, keyFile }, port: 9443, host: '192.0.2.7', redirectPort: 80 }
  expect(readConfig({ ...given, ...more }).tls).toEqual(whole)
  expect(problemsOf(files)).toEqual([expect.stringMatching(/^FORGE_BASE_URL is .* must begin with https:/)])
  expect(problemsOf({ ...given, FORGE_TLS_KEY_FILE: '' })).toEqual([
    expect.stringMatching(/^FORGE_TLS_KEY_FILE is not/),
  ])
  expect(problemsOf({ FORGE_HTTP_REDIRECT_PORT: '80' })).toEqual([expect.stringContaining('without a certificate')])
  const local = { FORGE_TLS_LOCAL_CA: 'true', FORGE_BASE_URL: 'https://forge.workshop' }
  expect(readConfig(local).tls).toEqual({ source: { kind: 'local' }, port: 443 })
  expect(problemsOf({ ...given, ...local })).toEqual([expect.stringContaining('are both set')])
  expect(problemsOf({ ...given, FORGE_TLS_PORT: '3000' })).toEqual([
    'FORGE_TLS_PORT and FORGE_PORT are the same port; set them to different ones.',
  ])
})

test('ACME needs a mail address and a name that can be looked up, and listens on port 80', () => {
  const given = {
    FORGE_BASE_URL: 'https://forge.example.com',
    FORGE_TLS_ACME: 'true',
    FORGE_TLS_ACME_EMAIL: 'admin@example.com',
  }
  const source = { kind: 'acme', email: 'admin@example.com', directory: letsEncrypt }
  expect(readConfig(given).tls).toEqual({ source, port: 443, redirectPort: 80 })
  expect(readConfig({ ...given, FORGE_HTTP_REDIRECT_PORT: '8080' }).tls?.redirectPort).toBe(8080)
  const account = { FORGE_TLS_ACME_EAB_KID: 'kid-1', FORGE_TLS_ACME_EAB_HMAC: 'c2VjcmV0IG9mIG1pbmU' }
  const externalAccount = { kid: 'kid-1', hmacKey: 'c2VjcmV0IG9mIG1pbmU' }
  expect(readConfig({ ...given, ...account }).tls?.source).toEqual({ ...source, externalAccount })
  const wrong: [Record<string, string>, RegExp][] = [
    [{ FORGE_TLS_ACME_EMAIL: '' }, /^FORGE_TLS_ACME_EMAIL is not set/],
    [{ FORGE_BASE_URL: 'http://forge.example.com' }, /^FORGE_BASE_URL is .* must begin with https:/],
    [
      { FORGE_BASE_URL: 'https://192.0.2.10', FORGE_INSTANCE_DOMAIN: 'apps.example.com' },
      /^FORGE_BASE_URL is .* that the ACME server can look up/,
    ],
    [{ FORGE_BASE_URL: 'https://forge' }, /^FORGE_BASE_URL is .* that the ACME server can look up/],
    [{ FORGE_TLS_LOCAL_CA: 'true' }, /^FORGE_TLS_LOCAL_CA and FORGE_TLS_ACME are both set/],
    [{ FORGE_TLS_ACME_DIRECTORY: 'http://acme.example.com' }, /^FORGE_TLS_ACME_DIRECTORY is .* https:/],
    [{ FORGE_TLS_ACME_CA_FILE: '/nowhere' }, /^FORGE_TLS_ACME_CA_FILE is "\/nowhere", which cannot be read/],
    [{ FORGE_TLS_ACME_EAB_KID: 'kid-1' }, /^FORGE_TLS_ACME_EAB_KID and FORGE_TLS_ACME_EAB_HMAC belong together/],
    [{ FORGE_TLS_ACME: 'false' }, /^FORGE_TLS_ACME_EMAIL is set without FORGE_TLS_ACME/],
    [{ FORGE_TLS_PORT: '80' }, /^FORGE_HTTP_REDIRECT_PORT and FORGE_TLS_PORT are the same port/],
  ]
  for (const [change, problem] of wrong)
    expect(problemsOf({ ...given, ...change })).toEqual([expect.stringMatching(problem)])
  const company = { FORGE_BASE_URL: 'https://forge', FORGE_TLS_ACME_DIRECTORY: 'https://acme.example.com/directory' }
  expect(readConfig({ ...given, ...company }).tls?.source.kind).toBe('acme')
})

test('users for instances are a range of numbers, or none', () => {
  expect(readConfig({ FORGE_INSTANCE_UIDS: 'none' }).instanceUsers).toBeUndefined()
  for (const text of ['0-100', '300000', '300999-300000', '300000-4294967295', '1e5-2e5'])
    expect(problemsOf({ FORGE_INSTANCE_UIDS: text })).toEqual([expect.stringContaining('two numbers from 1000')])
})

test('processors of an instance are a number, or without a limit', () => {
  expect(readConfig({}).instanceCpus).toBeUndefined()
  expect(readConfig({ FORGE_INSTANCE_CPUS: '0.25' }).instanceCpus).toBe(0.25)
  for (const text of ['0', '0.01', '1025', '50%', '1.234', '-1', 'two'])
    expect(problemsOf({ FORGE_INSTANCE_CPUS: text })).toEqual([expect.stringContaining('from 0.1 to 1024')])
  expect(readConfig({}).instanceDiskMb).toBeUndefined()
  expect(readConfig({ FORGE_INSTANCE_DISK_MB: '0' }).instanceDiskMb).toBe(0)
  for (const text of ['1GB', '1.5', '1000000'])
    expect(problemsOf({ FORGE_INSTANCE_DISK_MB: text })).toEqual([expect.stringContaining('from 0 to 999999')])
})

describe('secrets in files', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'forge-config-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
  const holding = async (text: string) => {
    const path = join(folder, `secret-${Math.random()}`)
    await writeFile(path, text)
    return path
  }

  test('a secret is read from the file that its name with _FILE leads to, without the line end', async () => {
    const key = randomBytes(32)
    const config = readConfig({
      FORGE_SECRET_KEY_FILE: await holding(`${key.toString('base64')}\n`),
      FORGE_DATABASE_URL_FILE: await holding('postgres://me:p%40ss@db.example.com/forge\n'),
      FORGE_METRICS_TOKEN_FILE: await holding('a token for the figures'),
    })
    expect(config.secretKey?.equals(key)).toBe(true)
    expect(config).toMatchObject({
      databaseUrl: 'postgres://me:p%40ss@db.example.com/forge',
      metricsToken: 'a token for the figures',
    })
  })

  test('what cannot be read, or holds something else, is a sentence with the path and without the content', async () => {
    const short = await holding('c2hvcnQ=')
    expect(problemsOf({ FORGE_SECRET_KEY_FILE: short })).toEqual([
      `FORGE_SECRET_KEY_FILE is "${short}", which holds something else; it must hold 32 random bytes in base64, as \`openssl rand -base64 32\` prints them.`,
    ])
    expect(problemsOf({ FORGE_SECRET_KEY_FILE: join(folder, 'none') })).toEqual([
      `FORGE_SECRET_KEY_FILE is "${join(folder, 'none')}", which does not exist.`,
    ])
    expect(problemsOf({ FORGE_SECRET_KEY_FILE: folder })[0]).toContain('which is a folder; it must be a file')
    expect(problemsOf({ FORGE_METRICS_TOKEN_FILE: await holding('\n') })[0]).toContain('which is empty')
    expect(problemsOf({ FORGE_METRICS_TOKEN_FILE: await holding('x'.repeat(20_000)) })[0]).toContain('too large')
    expect(problemsOf({ FORGE_SMTP_URL_FILE: short, FORGE_SMTP_URL: 'smtp://mail.example.com' })).toEqual([
      'FORGE_SMTP_URL and FORGE_SMTP_URL_FILE are both set; set one of them.',
    ])
    expect(problemsOf({ FORGE_PORT_FILE: short })[0]).toContain('FORGE_PORT_FILE is not a setting of this server')
  })

  test.each([
    'postgres://me:p/zebra@db.example.com/forge',
    'postgres://me:p#zebra@db.example.com/forge',
    'postgres://me:p@zebra/w@db/forge',
  ])('a password with a sign of addresses in it is refused with how to write it (%#)', (url) => {
    const [problem] = problemsOf({ FORGE_DATABASE_URL: url })
    expect(problem).toContain('are written as %40, %2F or %23')
    expect(problem).not.toContain('zebra')
  })
})
