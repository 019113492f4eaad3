import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../tools/test/free-port.ts'

const program = '/usr/sbin/slapd'
export const hasSlapd = existsSync(program)
export const baseDn = 'dc=example,dc=com'
export const bindDn = `cn=reader,${baseDn}`
export const bindPassword = 'the password of the reader'

const entry = (dn: string, ...lines: string[]) => [`dn: ${dn}`, ...lines, ''].join('\n')
const person = (uid: string, more: string[] = []) =>
  entry(
    `uid=${uid},ou=people,${baseDn}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    `cn: ${uid}`,
    `sn: ${uid}`,
    `mail: ${uid}@ovens.example.com`,
    `userPassword: password of ${uid}`,
    ...more,
  )
/** A group with one member. */
export const group = (name: string, uid: string) =>
  entry(
    `cn=${name},ou=groups,${baseDn}`,
    'objectClass: groupOfNames',
    `cn: ${name}`,
    `member: uid=${uid},ou=people,${baseDn}`,
  )
const entries = [
  entry(baseDn, 'objectClass: dcObject', 'objectClass: organization', 'o: Example', 'dc: example'),
  entry(`ou=people,${baseDn}`, 'objectClass: organizationalUnit', 'ou: people'),
  entry(`ou=groups,${baseDn}`, 'objectClass: organizationalUnit', 'ou: groups'),
  person('ada', ['displayName: Ada Lovelace', 'ou: bakers']),
  person('bob'),
  person('carl'),
  person('dora'),
  group('bakers', 'ada'),
]

/** slapd of Debian as a process of its own on this machine, with a few people and `more` entries; with `tls` it has that certificate. */
export async function startSlapd(tls?: { certFile: string; keyFile: string }, more: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-slapd-'))
  const [data, conf, ldif] = [join(folder, 'data'), join(folder, 'slapd.conf'), join(folder, 'people.ldif')]
  mkdirSync(data)
  const schemas = ['core', 'cosine', 'inetorgperson'].map((name) => `include /etc/ldap/schema/${name}.schema`)
  const text = [
    ...schemas,
    'modulepath /usr/lib/ldap',
    'moduleload back_mdb',
    `pidfile ${folder}/pid`,
    ...(tls ? [`TLSCertificateFile ${tls.certFile}`, `TLSCertificateKeyFile ${tls.keyFile}`] : []),
    'database mdb',
    `suffix "${baseDn}"`,
    `rootdn "${bindDn}"`,
    `rootpw "${bindPassword}"`,
    `directory ${data}`,
    'maxsize 10485760',
    '',
  ]
  writeFileSync(conf, text.join('\n'))
  writeFileSync(ldif, [...entries, ...more].join('\n'))
  execFileSync('/usr/sbin/slapadd', ['-f', conf, '-l', ldif], { stdio: 'pipe' })
  const [port, securePort] = [await freePort(), await freePort()]
  const urls = `ldap://127.0.0.1:${port}${tls ? ` ldaps://127.0.0.1:${securePort}` : ''}`
  const child = spawn(program, ['-f', conf, '-h', urls, '-d', '0'], { stdio: 'ignore' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  while (child.exitCode === null && !(await listens())) await new Promise((resolve) => setTimeout(resolve, 30))
  if (child.exitCode !== null) throw new Error(`slapd ended with ${child.exitCode}`)
  return {
    url: `ldap://localhost:${port}`,
    secureUrl: `ldaps://localhost:${securePort}`,
    async stop() {
      child.kill()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
