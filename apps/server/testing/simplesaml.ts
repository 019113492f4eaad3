import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../tools/test/free-port.ts'

const php = '/usr/bin/php'
const pages = '/usr/share/simplesamlphp/www'
export const hasSimpleSaml = existsSync(php) && existsSync(join(pages, 'module.php'))

/** Attributes of a person, by the names that the provider sends. */
export type SamlPerson = Record<string, readonly string[]>

/** Filters that change names and values of attributes, by their order. */
export type SamlFilters = Record<number, Record<string, unknown>>

/** Settings of the provider's answers. Names are those of its own configuration (`saml20-idp-hosted`). */
interface Answers {
  'saml20.sign.response': boolean
  'saml20.sign.assertion': boolean
  'assertion.encryption': boolean
  NameIDFormat: string
  authproc: SamlFilters
  certificate: string
  privatekey: string
  /** Announced in the metadata beside the one above, which still signs. */
  new_certificate?: string | undefined
  new_privatekey?: string | undefined
}

/** Turns an object of ours into an array of PHP at each request, so that a change counts at once. */
const read = (key: string) => `json_decode(file_get_contents(__DIR__ . '/state.json'), true)['${key}']`
const file = (lines: string) => `<?php\n${lines}\n`

/** The shell ends PHP when its own input ends, so also when the tests are killed. */
const watched = 'exec 3<&0; "$@" </dev/null & php=$!; { read -r _ <&3; kill $php; } & wait $php'

/** SimpleSAMLphp of Debian as a process of its own on this machine, with the people that a test names. */
export async function startSimpleSaml() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-simplesaml-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}/`
  const metadataUrl = `${url}saml2/idp/metadata.php`
  for (const name of ['metadata', 'sessions', 'log', 'data', 'tmp']) mkdirSync(join(folder, name))

  /** Makes a key with its certificate and returns the names that the configuration has for them. */
  function makeKey(name: string, days = 365) {
    const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)]
    const made = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', String(days)]
    execFileSync('openssl', ['req', '-x509', ...made, '-subj', `/CN=${name}`], { stdio: 'ignore' })
    return { certificate: cert, privatekey: key, pem: readFileSync(cert, 'utf8') }
  }

  const { pem, ...keys } = makeKey('first')
  const state: { people: Record<string, SamlPerson>; answers: Answers; trusted: string[] } = {
    people: {},
    answers: {
      'saml20.sign.response': true,
      'saml20.sign.assertion': true,
      'assertion.encryption': false,
      NameIDFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      authproc: {},
      ...keys,
    },
    trusted: [],
  }
  /** Whole or not at all: PHP reads the file while a test writes it. */
  function save(): void {
    writeFileSync(join(folder, 'next.json'), JSON.stringify(state))
    renameSync(join(folder, 'next.json'), join(folder, 'state.json'))
  }
  save()

  const config = {
    baseurlpath: url,
    certdir: folder,
    loggingdir: join(folder, 'log'),
    datadir: join(folder, 'data'),
    tempdir: join(folder, 'tmp'),
    metadatadir: join(folder, 'metadata'),
    attributenamemapdir: '/etc/simplesamlphp/attributemap/',
    secretsalt: 'a salt of the tests',
    'auth.adminpassword': 'a password of the tests',
    'admin.checkforupdates': false,
    timezone: 'UTC',
    'logging.handler': 'file',
    'logging.level': 6,
    'enable.saml20-idp': true,
    'module.enable': { core: true, saml: true, exampleauth: true },
    'store.type': 'phpsession',
    'session.phpsession.savepath': join(folder, 'sessions'),
    'session.cookie.secure': false,
    'session.cookie.samesite': null,
    'language.cookie.secure': false,
    'language.cookie.samesite': null,
  }
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  writeFileSync(
    join(folder, 'config.php'),
    file(`$config = json_decode(file_get_contents(__DIR__ . '/config.json'), true);
$config['metadata.sources'] = [['type' => 'flatfile']];
foreach (${read('trusted')} as $xml) $config['metadata.sources'][] = ['type' => 'xml', 'xml' => $xml];`),
  )
  writeFileSync(
    join(folder, 'authsources.php'),
    file(`$config = ['people' => ['exampleauth:UserPass'] + ${read('people')}];`),
  )
  writeFileSync(
    join(folder, 'metadata', 'saml20-idp-hosted.php'),
    file(`$state = json_decode(file_get_contents(__DIR__ . '/../state.json'), true);
$metadata['${metadataUrl}'] = ['host' => '__DEFAULT__', 'auth' => 'people'] + $state['answers'];`),
  )

  const settings = ['-d', 'opcache.enable=0', '-d', 'display_errors=0', '-d', `error_log=${join(folder, 'log', 'php')}`]
  const child = spawn('/bin/sh', ['-c', watched, 'sh', php, ...settings, '-S', `127.0.0.1:${port}`, '-t', pages], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: folder },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const metadata = async () => fetch(metadataUrl).catch(() => undefined)
  let answer = await metadata()
  while (child.exitCode === null && answer === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 30))
    answer = await metadata()
  }
  if (answer?.status !== 200) throw new Error(`SimpleSAMLphp does not start: ${await answer?.text()}`)

  return {
    url,
    metadataUrl,
    /** The certificate that signs its answers. */
    certificate: pem,
    metadata: async () => (await fetch(metadataUrl)).text(),
    makeKey,
    /** Lets a person sign in with a password. Without attributes the person is deactivated. */
    person(name: string, password: string, attributes?: SamlPerson): void {
      if (attributes) state.people[`${name}:${password}`] = attributes
      else delete state.people[`${name}:${password}`]
      save()
    },
    /** Trusts an application by its metadata. */
    trust(xml: string): void {
      state.trusted.push(xml)
      save()
    },
    /** Changes how it answers, and returns how it did before. */
    answer(changes: Partial<Answers>): Answers {
      const before = state.answers
      state.answers = { ...before, ...changes }
      save()
      return before
    },
    async stop() {
      child.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
