import { readFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { rootCertificates } from 'node:tls'
import type { AcmeConfig } from '../../config.acme.ts'
import { AcmeRefusal, refusalOf } from './acme.faults.ts'

const timeoutMs = 30_000
/** Time for an ACME server to check a name or to sign: about a minute in all. */
const polling = { backoffMin: 250, backoffMax: 5_000, backoffAttempts: 16 }

export type AcmeLibrary = typeof import('acme-client')
export type AcmeClient = InstanceType<AcmeLibrary['Client']>

let loaded: Promise<AcmeLibrary> | undefined

/** Loaded when it is needed: most platforms order nothing. */
async function load(): Promise<AcmeLibrary> {
  const { default: library } = (await import('acme-client')) as unknown as { default: AcmeLibrary }
  const { axios } = library
  // The library repeats requests by itself, also after a rate limit. Attempts are recorded here instead.
  axios.interceptors.request.clear()
  axios.interceptors.response.clear()
  axios.interceptors.response.use(
    (response) => {
      const { status, data, headers } = response
      const isNonce = status === 400 && String((data as { type?: unknown } | undefined)?.type).endsWith(':badNonce')
      if (status < 400 || isNonce) return response
      throw refusalOf(data, status, headers['retry-after'] as string | undefined)
    },
    (error: NodeJS.ErrnoException) => {
      throw new AcmeRefusal('unreachable', error.message || (error.code ?? 'no answer'))
    },
  )
  axios.defaults.timeout = timeoutMs
  return library
}

/** The library, set to trust the authority of this ACME server. */
export async function acmeLibrary({ caFile }: Pick<AcmeConfig, 'caFile'>): Promise<AcmeLibrary> {
  const library = await (loaded ??= load())
  const ca = caFile && [...rootCertificates, readFileSync(caFile, 'utf8')]
  library.axios.defaults.httpsAgent = ca ? new Agent({ ca }) : undefined
  return library
}

/** A client of an account; `url`: absent until the server has confirmed it. */
export function clientOf(
  library: AcmeLibrary,
  { directory, externalAccount }: AcmeConfig,
  account: { key: string; url: string | null },
): AcmeClient {
  return new library.Client({
    directoryUrl: directory,
    accountKey: account.key,
    ...(account.url !== null && { accountUrl: account.url }),
    ...(externalAccount && { externalAccountBinding: externalAccount }),
    ...polling,
  })
}
