import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../apps/server/src/config.ts'
import { root } from '../build/built.ts'

interface Compose {
  services: { flowforge: { environment: Record<string, string>; ports: string[] } }
}

/** The settings that the server gets from these files, with `given` as the file `.env`. */
function settings(files: readonly string[], given: Record<string, string>): Record<string, string> {
  const read = (file: string) => parse(readFileSync(join(root, file), 'utf8')) as Compose
  const all = Object.assign({}, ...files.map((file) => read(file).services.flowforge.environment))
  return Object.fromEntries(
    Object.entries(all as Record<string, string>).map(([name, text]) => [name, filledIn(text, given)]),
  )
}

/** Fills in `${NAME:-default}` and `${NAME:?message}`, as docker compose does. */
const filledIn = (text: string, given: Record<string, string>) =>
  text.replace(/\$\{(\w+):([-?])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
    if (!given[name] && kind === '?') throw new Error(rest)
    return given[name] || rest
  })

const home = { FORGE_HOME: '/data', FORGE_HOST: '0.0.0.0' }
const password = { POSTGRES_PASSWORD: 'letters123' }

test('the server takes the settings of compose.yaml, without names and behind a reverse proxy', () => {
  expect(readConfig({ ...home, ...settings(['compose.yaml'], password) })).toMatchObject({
    baseUrl: 'http://localhost:3000',
    databaseUrl: 'postgres://forge:letters123@database:5432/forge',
  })
  const names = { FORGE_BASE_URL: 'https://forge.example.com', FORGE_INSTANCE_DOMAIN: 'apps.example.com' }
  const secret = 'a-secret-of-the-reverse-proxy'
  const proxied = readConfig({
    ...home,
    ...settings(['compose.yaml'], { ...password, ...names, FORGE_PROXY_SECRET: secret }),
  })
  expect(proxied).toMatchObject({ instanceDomain: 'apps.example.com', proxySecret: secret })
})

test('with compose.tls.yaml it gets certificates by ACME, and asks for what that needs', () => {
  const files = ['compose.yaml', 'compose.tls.yaml']
  const given = {
    ...password,
    FORGE_BASE_URL: 'https://forge.example.com',
    FORGE_INSTANCE_DOMAIN: 'apps.example.com',
    FORGE_TLS_ACME_EMAIL: 'admin@example.com',
  }
  expect(readConfig({ ...home, ...settings(files, given) }).tls).toMatchObject({
    source: { kind: 'acme', email: 'admin@example.com' },
    port: 443,
    redirectPort: 80,
  })
  for (const name of Object.keys(given)) expect(() => settings(files, { ...given, [name]: '' })).toThrow(`Set ${name}`)
})
