import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** An authority that signs certificates into files, for the time of one test. */
export function createAuthority() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-authority-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [caFile, caKey] = [join(folder, 'ca.pem'), join(folder, 'ca.key')]
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const make = (args: string[]) =>
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', ...args],
      { stdio: 'pipe' },
    )
  make(['-subj', '/CN=Authority of a test', '-days', '365', '-keyout', caKey, '-out', caFile])

  return {
    /** The certificate that a client has to trust. */
    ca: readFileSync(caFile, 'utf8'),
    files,
    /** Signs a certificate for these names into `files`, as a program that renews does: each file at once. */
    issue(names: readonly string[], days = 200): void {
      const alternatives = `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`
      const [key, cert] = [join(folder, 'new.key'), join(folder, 'new.pem')]
      const subject = ['-subj', `/CN=${names[0]}`, '-addext', alternatives, '-days', String(days)]
      make([...subject, '-CA', caFile, '-CAkey', caKey, '-keyout', key, '-out', cert])
      renameSync(cert, files.certFile)
      renameSync(key, files.keyFile)
    },
  }
}
