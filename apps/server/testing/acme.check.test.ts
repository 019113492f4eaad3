import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runFlowforge } from '../src/cli/flowforge.run.ts'
import { freePort } from './index.ts'
import { hasPebble, startPebble } from './pebble.ts'

/** Runs `flowforge check` with ACME. */
async function checked(more: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forge-check-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const said: string[] = []
  const [port, tls, redirect] = [await freePort(), await freePort(), await freePort()]
  const env = {
    PATH: process.env.PATH,
    FORGE_HOME: join(folder, 'home'),
    FORGE_PORT: String(port),
    FORGE_BASE_URL: `https://forge.test:${tls}`,
    FORGE_TLS_HOST: '127.0.0.1',
    FORGE_TLS_ACME: 'true',
    FORGE_TLS_ACME_EMAIL: 'admin@forge.test',
    FORGE_HTTP_REDIRECT_PORT: String(redirect),
    ...more,
  }
  const say = (text: string) => void said.push(text)
  await runFlowforge(['check'], { env, folder, program: '', say, ask: async () => '', start: async () => {} })
  return said.join('\n')
}

test.runIf(hasPebble)('check tells whether the ACME server answers, and which port it will ask', async () => {
  const { directory, caFile } = await startPebble({ httpPort: 1 })
  const acme = { FORGE_TLS_ACME_DIRECTORY: directory, FORGE_TLS_ACME_CA_FILE: caFile }
  const text = await checked(acme)
  expect(text).toContain(`ok   acme      ${directory} answers. The account is of admin@forge.test.`)
  expect(text).toMatch(/ok {3}acme {6}The ACME server will ask port 80 of forge\.test .* Forward port 80 to it\./)
  expect(text).toMatch(/ok {3}tls {7}HTTPS on port \d+\. The server gets its certificates from an ACME server\./)
  const untrusted = await checked({ FORGE_TLS_ACME_DIRECTORY: directory })
  expect(untrusted).toMatch(/not {2}acme {6}https:.* cannot be used: .*\n *→ .* set FORGE_TLS_ACME_CA_FILE/)
  const other = directory.replace(/dir$/, 'nonce-plz')
  expect(await checked({ ...acme, FORGE_TLS_ACME_DIRECTORY: other })).toContain(
    `not  acme      ${other} is not the directory of an ACME server.`,
  )
})
