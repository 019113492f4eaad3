import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import type { Logger } from 'pino'
import {
  BadCertificate,
  type Certificate,
  certificateOf,
  type Certificates,
  type CertificateStatus,
} from './certificate.ts'

const lookEveryMs = 2_000

interface Files {
  certFile: string
  keyFile: string
}

/**
 * A certificate in files, read again when they change. A new one that cannot be used leaves the former in place.
 * @throws BadCertificate when the first one cannot be used.
 */
export function openCertificates({ certFile, keyFile }: Files, log: Logger): Certificates {
  const files = { certFile, keyFile }
  const listeners = new Set<(certificate: Certificate) => void>()
  let status: CertificateStatus = { certificate: readCertificate(files) }

  function reload(): void {
    try {
      const certificate = readCertificate(files)
      const isNew =
        certificate.fingerprint !== status.certificate.fingerprint || certificate.cert !== status.certificate.cert
      status = { certificate }
      if (!isNew) return
      log.info({ fingerprint: certificate.fingerprint }, 'serving a new certificate')
      for (const listener of listeners) listener(certificate)
    } catch (error) {
      if (!(error instanceof BadCertificate)) throw error
      status = { ...status, fault: error.message }
      log.warn(`keeps the former certificate: ${error.message}`)
    }
  }

  // Programs that renew certificates replace links and folders, which are followed only by asking for the file.
  for (const file of Object.values(files)) watchFile(file, { interval: lookEveryMs, persistent: false }, reload)
  return {
    status: () => status,
    reload,
    follow(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close() {
      for (const file of Object.values(files)) unwatchFile(file, reload)
    },
  }
}

/** @throws BadCertificate */
export const readCertificate = ({ certFile, keyFile }: Files): Certificate =>
  certificateOf(textOf(certFile), textOf(keyFile))

const reasons: Record<string, string> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by the user of the server',
  EISDIR: 'is a folder',
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new BadCertificate(`${path} ${reasons[code] ?? `cannot be read (${code})`}.`)
  }
}
