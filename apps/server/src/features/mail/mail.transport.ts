import type { Transporter } from 'nodemailer'
import type { Message } from './mail.message.ts'

/** How mail leaves the platform. `from` is an address, with or without a name before it. */
export interface MailConfig {
  host: string
  port: number
  /** TLS from the first byte; else STARTTLS where the server offers it. */
  secure: boolean
  user?: string
  password?: string
  from: string
}

const local = new Set(['localhost', '127.0.0.1', '::1'])

/** Hands one message to the mail server; throws what the server, or the way to it, answers. */
export type Deliver = (id: string, message: Message) => Promise<void>

export function createTransport(config: MailConfig, domain: string): { deliver: Deliver; close(): void } {
  const { host, port, secure, user, password, from } = config
  let made: Promise<Transporter> | undefined
  /** With the first mail: the library takes 20 MB, and many a server sends none for long. */
  const transport = async () => (made ??= connect())

  async function connect(): Promise<Transporter> {
    const { default: nodemailer } = await import('nodemailer')
    return nodemailer.createTransport({
      host,
      port,
      secure,
      // A password must not cross a network in clear because somebody on the way took STARTTLS out of the offer.
      requireTLS: user !== undefined && !local.has(host),
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 20_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    async deliver(id, { to, subject, text, html }) {
      await (await transport()).sendMail({
        from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        // The same at every attempt, so that a mail that arrives twice can be known.
        messageId: `<${id}@${domain}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
    close: () => void made?.then((one) => one.close()),
  }
}
