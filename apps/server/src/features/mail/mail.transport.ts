import type { Transporter } from 'nodemailer'
import type { MailServer } from '../../config.mail.ts'
import type { Message } from './mail.message.ts'

const local = new Set(['localhost', '127.0.0.1', '::1'])

/** Hands one message to the mail server; throws what the server, or the way to it, answers. */
export type Deliver = (id: string, message: Message) => Promise<void>

export function createTransport(config: MailServer, domain: string): { deliver: Deliver; close(): void } {
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
