import { Email } from '@app/contract/account'

/** The server that takes the mail of the platform. */
export interface MailServer {
  host: string
  port: number
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  secure: boolean
  user?: string
  password?: string
  /** An address, with or without a name before it. */
  from: string
}

/** An address of a mail server, with or without user name and password. */
export function isSmtp(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return false
  if (url.password !== '' && url.username === '') return false
  return url.pathname.length <= 1 && url.search === '' && url.hash === '' && decodes(url.username + url.password)
}

function decodes(text: string): boolean {
  try {
    return decodeURIComponent(text) !== '' || text === ''
  } catch {
    return false
  }
}

/** The address in a sender, which may have a name before it; undefined when it is not one. */
export function senderAddress(text: string): string | undefined {
  const address = /^[^\p{C}<>"]*<([^<>]+)>$/u.exec(text)?.[1] ?? text
  return Email.safeParse(address).success ? address : undefined
}

/** The mail server that a valid address names. */
export function mailServer(text: string, from: string | undefined, baseUrl: string): MailServer {
  const url = new URL(text)
  const secure = url.protocol === 'smtps:'
  const host = url.hostname.replace(/[[\]]/g, '')
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username && { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }),
    from: from ?? `FlowForge <flowforge@${new URL(baseUrl).hostname}>`,
  }
}
