import { Email } from '@app/contract/account'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import * as z from 'zod'
import { always, optionally } from './config.setting.ts'
import { isAddress } from './config.values.ts'

/** The ACME server that issues certificates. */
export interface AcmeConfig {
  /** Contact of the account at the ACME server. */
  email: string
  /** Address of the directory. */
  directory: string
  /** File of the certificate authority that signed the certificate of the ACME server itself; absent: a public one. */
  caFile?: string
  /** An account that exists at the provider already. */
  externalAccount?: { kid: string; hmacKey: string }
}

export const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory'

/** The settings of ACME. */
export const acmeSettings = {
  FORGE_TLS_ACME: always(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    {
      about:
        "With true the server gets its certificates from an ACME server such as Let's Encrypt, renews them, and serves HTTPS. You accept the terms of that server. Port 80 of the public names must lead here: see docs/addresses.md. Needs FORGE_TLS_ACME_EMAIL.",
      expected: 'the word true or false',
      fallback: 'false',
      example: 'true',
    },
  ),
  FORGE_TLS_ACME_EMAIL: optionally(
    z.string().refine((text) => Email.safeParse(text).success),
    {
      about: 'Mail address of the account at the ACME server, which may write to it about problems.',
      expected: 'a mail address',
      example: 'admin@example.com',
    },
  ),
  FORGE_TLS_ACME_DIRECTORY: always(z.string().refine(isAddress), {
    about:
      'Address of the directory of the ACME server. After a change the server gets new certificates for all names.',
    expected: 'an https:// address',
    fallback: letsEncrypt,
    example: 'https://acme.example.com/directory',
  }),
  FORGE_TLS_ACME_CA_FILE: optionally(z.string(), {
    about:
      'Certificate of the authority that the ACME server itself belongs to, in PEM format. Needed for an ACME server of your company.',
    expected: 'the path of a file',
    example: '/etc/ssl/company-root.pem',
  }),
  FORGE_TLS_ACME_EAB_KID: optionally(z.string().min(1).max(512), {
    about: 'Key identifier of an external account, where the ACME server asks for one. Needs FORGE_TLS_ACME_EAB_HMAC.',
    expected: 'a text of 1 to 512 characters',
    example: '<key identifier of your provider>',
  }),
  FORGE_TLS_ACME_EAB_HMAC: optionally(z.string().regex(/^[\w+/=-]{16,512}$/), {
    about: 'HMAC key of the external account.',
    expected: 'a key in base64 of 16 to 512 characters',
    example: '<HMAC key of your provider>',
    secret: true,
    file: true,
  }),
}

export interface AcmeValues {
  FORGE_TLS_ACME: boolean
  FORGE_TLS_ACME_EMAIL?: string | undefined
  FORGE_TLS_ACME_DIRECTORY: string
  FORGE_TLS_ACME_CA_FILE?: string | undefined
  FORGE_TLS_ACME_EAB_KID?: string | undefined
  FORGE_TLS_ACME_EAB_HMAC?: string | undefined
}

export const isAcme = ({ FORGE_TLS_ACME }: AcmeValues): boolean => FORGE_TLS_ACME

/** The part of the configuration, unless ACME is off. */
export function acmeOf(values: AcmeValues): AcmeConfig | undefined {
  const { FORGE_TLS_ACME_EMAIL: email, FORGE_TLS_ACME_CA_FILE: caFile } = values
  const { FORGE_TLS_ACME_EAB_KID: kid, FORGE_TLS_ACME_EAB_HMAC: hmacKey } = values
  if (!values.FORGE_TLS_ACME || !email) return undefined
  return {
    email,
    directory: values.FORGE_TLS_ACME_DIRECTORY,
    ...(caFile && { caFile }),
    ...(kid && hmacKey && { externalAccount: { kid, hmacKey } }),
  }
}

/** The settings of ACME that do not fit together, a sentence each. */
export function acmeProblems(values: AcmeValues, baseUrl: string): string[] {
  const { FORGE_TLS_ACME_DIRECTORY: directory, FORGE_TLS_ACME_CA_FILE: caFile } = values
  if (!isAcme(values)) return lonely(values)
  const problems: string[] = []
  if (!values.FORGE_TLS_ACME_EMAIL)
    problems.push('FORGE_TLS_ACME_EMAIL is not set; it must be a mail address, because FORGE_TLS_ACME is set.')
  if (!directory.startsWith('https:'))
    problems.push(`FORGE_TLS_ACME_DIRECTORY is "${directory}"; it must begin with https://.`)
  const host = new URL(baseUrl).hostname.replace(/[[\]]/g, '')
  if (isIP(host) > 0 || /(^|\.)localhost$/.test(host) || (directory === letsEncrypt && !host.includes('.')))
    problems.push(
      `FORGE_BASE_URL is "${baseUrl}"; it must have a name that the ACME server can look up, because FORGE_TLS_ACME is set.`,
    )
  if (Boolean(values.FORGE_TLS_ACME_EAB_KID) !== Boolean(values.FORGE_TLS_ACME_EAB_HMAC))
    problems.push('FORGE_TLS_ACME_EAB_KID and FORGE_TLS_ACME_EAB_HMAC belong together; set both or neither.')
  if (caFile && !isReadable(caFile))
    problems.push(`FORGE_TLS_ACME_CA_FILE is "${caFile}", which cannot be read by the user of the server.`)
  return problems
}

function lonely(values: AcmeValues): string[] {
  const names = [
    'FORGE_TLS_ACME_EMAIL',
    'FORGE_TLS_ACME_CA_FILE',
    'FORGE_TLS_ACME_EAB_KID',
    'FORGE_TLS_ACME_EAB_HMAC',
  ] as const
  return names
    .filter((name) => values[name] !== undefined)
    .map((name) => `${name} is set without FORGE_TLS_ACME; set that to true as well.`)
}

function isReadable(path: string): boolean {
  try {
    return readFileSync(path).length > 0
  } catch {
    return false
  }
}
