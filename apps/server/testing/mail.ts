import { text } from 'node:stream/consumers'
import { callbackify } from 'node:util'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import type { Config } from '../src/config.ts'
import { until } from './build.ts'

/** A mail as it arrived: who it was meant for on the envelope, its source, and what a mail program makes of it. */
export interface Received {
  to: string[]
  source: string
  parsed: Email
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>

/** A real mail server on the loopback address, which keeps what it is given; with `login` only after that. */
export async function startMailServer(login?: { user: string; password: string }) {
  const received: Received[] = []
  let refusal: { code: number; text: string } | undefined
  let attempts = 0
  const smtp = new SMTPServer({
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    onAuth({ username, password }, _session, done) {
      const known = username === login?.user && password === login?.password
      done(known ? undefined : new Error('Who are you?'), known ? { user: username } : undefined)
    },
    logger: false,
    onData: callbackify(async (stream: SMTPServerDataStream, session: SMTPServerSession) => {
      const source = await text(stream)
      attempts += 1
      if (refusal) throw Object.assign(new Error(refusal.text), { responseCode: refusal.code })
      const parsed = await PostalMime.parse(source)
      received.push({ to: session.envelope.rcptTo.map(({ address }) => address), source, parsed })
    }),
  })
  await new Promise<void>((resolve) => void smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as { port: number }
  const mail: NonNullable<Config['mail']> = {
    host: '127.0.0.1',
    port,
    secure: false,
    ...login,
    from: 'FlowForge <forge@platform.example>',
  }

  return {
    /** The settings for the server's configuration. */
    mail,
    received,
    /** Number of attempts to hand over a mail. */
    attempts: () => attempts,
    /** From now on every mail is refused with this code, or with none again taken. */
    refuse(code?: number) {
      refusal = code === undefined ? undefined : { code, text: 'Not now' }
    },
    /** The newest mail to an address; waits until there are as many as asked for. */
    async to(address: string, count = 1): Promise<Received> {
      const mails = await until(
        async () => received.filter(({ to }) => to.includes(address)),
        (found) => found.length >= count,
      )
      return mails.at(-1)!
    },
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  }
}

/** The token of the only link in a mail. */
export function tokenIn({ parsed }: Received): string {
  const links = [...(parsed.text ?? '').matchAll(/https?:\/\/\S+\/([\w-]+)/g)]
  if (links.length !== 1) throw new Error(`${links.length} links in: ${parsed.text}`)
  return links[0]![1]!
}
