import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createAuthority } from '../../apps/server/testing/authority.ts'
import { freePort } from '../test/free-port.ts'
import { findInPath } from '../test/programs.ts'
import { reply } from './newcomer.ts'

const [directoryPort, rootPort] = [14_000, 15_000]
const localhost = '127.0.0.1'

/**
 * Adds to Compose what a test of certificates needs: Pebble, the ACME server that Let's Encrypt tests clients with, and a
 * name server that leads every name to our container, as public names lead to a machine. `network`: the first three
 * numbers of addresses that nothing else here uses.
 */
export async function acmeBeside(image: string, network: string) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-acme-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const authority = createAuthority()
  authority.issue(['acme', 'localhost'])
  // Users of containers read them, under whatever number they have there.
  chmodSync(folder, 0o755)
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o644 })
  write('ca.pem', authority.ca)
  write('cert.pem', readFileSync(authority.files.certFile, 'utf8'))
  write('key.pem', readFileSync(authority.files.keyFile, 'utf8'))
  const pebble = {
    listenAddress: `0.0.0.0:${directoryPort}`,
    managementListenAddress: `0.0.0.0:${rootPort}`,
    certificate: '/acme/cert.pem',
    privateKey: '/acme/key.pem',
    httpPort: 80,
    tlsPort: 443,
    certificateValidityPeriod: 90 * 86_400,
  }
  write('pebble.json', JSON.stringify({ pebble }))

  const port = await freePort()
  const [ours, theirs] = [`${network}.10`, `${network}.11`]
  const programs = ['pebble', 'pebble-challtestsrv'].map(
    (name) => `${findInPath([name])!.path}:/usr/local/bin/${name}:ro`,
  )
  const off = ['http01', 'https01', 'tlsalpn01', 'defaultIPv6'].map((name) => `-${name} ''`).join(' ')
  const file = {
    services: {
      flowforge: {
        depends_on: { acme: { condition: 'service_started' } },
        environment: {
          FORGE_TLS_ACME_DIRECTORY: `https://acme:${directoryPort}/dir`,
          FORGE_TLS_ACME_CA_FILE: '/acme/ca.pem',
        },
        dns: [theirs],
        networks: { default: { ipv4_address: ours } },
        volumes: [`${folder}:/acme:ro`],
      },
      acme: {
        image,
        user: '0:0',
        command: `sh -c "pebble-challtestsrv -dns01 :53 -defaultIPv4 ${ours} ${off} & exec pebble -config /acme/pebble.json -dnsserver 127.0.0.1:53"`,
        environment: { PEBBLE_VA_NOSLEEP: '1' },
        healthcheck: { disable: true },
        networks: { default: { ipv4_address: theirs } },
        ports: [`${localhost}:${port}:${rootPort}`],
        volumes: [...programs, `${folder}:/acme:ro`],
      },
    },
    networks: { default: { ipam: { config: [{ subnet: `${network}.0/24` }] } } },
  }
  return {
    file,
    /** The authority that signs the certificates which it issues. */
    async root(): Promise<string> {
      const at = { host: localhost, port, path: '/roots/0', servername: 'localhost', ca: authority.ca }
      return (await reply(at, 'localhost')).text
    },
    /** The address from which the container of the ACME server calls. */
    address: theirs,
    /** A program for Node.js: it tries to sign in at ours, with an address that it invents. */
    signIn: (host: string, inventedAddress: string) => {
      const headers = {
        host,
        origin: `https://${host}`,
        'content-type': 'application/json',
        'x-forwarded-for': inventedAddress,
      }
      const options = {
        host: ours,
        servername: host,
        path: '/account/login',
        method: 'POST',
        headers,
        rejectUnauthorized: false,
      }
      const body = JSON.stringify({ username: 'alice', password: 'not her password' })
      return `require('https').request(${JSON.stringify(options)}, (answer) => answer.pipe(process.stdout)).end('${body}')`
    },
  }
}
