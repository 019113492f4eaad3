import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { afterAll, beforeAll } from 'vitest'
import { until } from './outside.ts'

export interface Letter {
  to: string[]
  subject: string
  text: string
  html: string
}

export interface Mailbox {
  /** The settings by which the platform sends its mail here. */
  settings(): Record<string, string>
  /** Waits for the next letter to this address whose subject matches and that nobody took yet. */
  take(to: string, subject: RegExp): Promise<Letter>
}

/** A real mail server on the loopback address, for one journey file. Define it before the platform. */
export function useMailbox(): Mailbox {
  const arrived: Promise<Letter>[] = []
  const taken = new Set<Letter>()
  let server: SMTPServer | undefined
  let port = 0

  beforeAll(async () => {
    server = new SMTPServer({
      authOptional: true,
      // Without a certificate that the platform trusts there is nothing to encrypt with.
      disabledCommands: ['AUTH', 'STARTTLS'],
      onData(stream, session, done) {
        const parts: Buffer[] = []
        stream.on('data', (part: Buffer) => parts.push(part))
        stream.on('end', () => {
          arrived.push(read(Buffer.concat(parts), session))
          done()
        })
      },
    })
    const listener = server.listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    port = (listener.address() as { port: number }).port
  })
  afterAll(() => new Promise<void>((resolve) => (server ? server.close(resolve) : resolve())))

  return {
    settings: () => ({ FORGE_SMTP_URL: `smtp://127.0.0.1:${port}` }),
    async take(to, subject) {
      const fits = (letter: Letter) => letter.to.includes(to) && subject.test(letter.subject) && !taken.has(letter)
      const letter = await until(async () => (await Promise.all(arrived)).find(fits), Boolean)
      taken.add(letter!)
      return letter!
    },
  }
}

async function read(mail: Buffer, { envelope }: SMTPServerSession): Promise<Letter> {
  const { subject = '', text = '', html = '' } = await PostalMime.parse(mail)
  return { to: envelope.rcptTo.map(({ address }) => address), subject, text, html }
}

/** The path of the console in a letter, as its text has it. */
export function linkIn({ text }: Letter, platform: { url: string }): string {
  const link = text.split(/\s+/).find((word) => word.startsWith(`${platform.url}/account/`))
  if (!link) throw new Error(`No link in:\n${text}`)
  return link.slice(platform.url.length)
}
