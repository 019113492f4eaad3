import { afterEach, expect, test } from 'vitest'
import { openMailServer, openServer, startMailServer, startServer, testClock, until } from '../../../testing/index.ts'
import { compose, quoted } from './mail.message.ts'

const minute = 60_000
const clock = testClock()
const mails = await openMailServer()
const server = await openServer({ clock, config: { mail: mails.mail } })
afterEach(() => mails.refuse())

let serial = 0
const letter = (more: object = {}) => ({
  to: `reader-${(serial += 1)}@example.com`,
  subject: 'A subject',
  paragraphs: ['Hello,', 'one thing & <another>.'],
  link: { label: 'Open it', url: 'http://localhost:3000/account/verify/token' },
  notes: ['A note.'],
  ...more,
})
async function send(of = letter()): Promise<string> {
  await server.app.database.transact((tx) => server.app.services.mail.send(tx, of))
  return of.to
}
const waiting = () => server.app.database.read.selectFrom('mails').selectAll().execute()
const jobs = () => server.app.database.read.selectFrom('jobs').selectAll().execute()
const quiet = () => until(jobs, (rows) => rows.length === 0)

test('a mail arrives as text and as HTML, from the platform, to one person', async () => {
  const { to, source, parsed } = await mails.to(await send())
  expect(parsed.from).toEqual({ name: 'FlowForge', address: 'forge@platform.example' })
  expect(parsed.to).toEqual([{ name: '', address: to[0] }])
  expect(to).toHaveLength(1)
  expect(parsed.subject).toBe('A subject')
  expect(parsed.text?.replaceAll('\r\n', '\n')).toBe(
    'Hello,\n\none thing & <another>.\n\nOpen it:\nhttp://localhost:3000/account/verify/token\n\nA note.\n\n-- \nFlowForge\n\n',
  )
  expect(parsed.html).toContain('one thing &amp; &lt;another&gt;.')
  expect(parsed.messageId).toMatch(/^<[a-v0-9]{20}@localhost>$/)
  expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m)
})

test('it reads without pictures, fetches nothing, and has the one link, absolute', async () => {
  const { parsed, source } = await mails.to(await send())
  const html = parsed.html ?? ''
  expect(html).not.toMatch(/<(img|script|link|iframe|style|form|input)|url\(|background=|@import/i)
  expect(new Set([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address))).toEqual(
    new Set(['http://localhost:3000/account/verify/token']),
  )
  expect(html).toContain('open this address:<br>')
  expect(source).not.toMatch(/List-Unsubscribe|Disposition-Notification|X-Mailer/i)
})

test.each([
  ['evil.com', '“evil. com”'],
  ['www.evil.com/login', '“www. evil. com/ login”'],
  ['https://evil.com', '“https: / / evil. com”'],
  ['mail@evil.com', '“mail@ evil. com”'],
  ['A\r\nBcc: x@y.z', '“A Bcc: x@ y. z”'],
  ['Line\u2028separator', '“Line separator”'],
  ['moc.live\u202e', '“moc. live”'],
  ['Dr. Ada "the first"', "“Dr. Ada 'the first'”"],
  ['Jürgen O’Neill 王', '“Jürgen O’Neill 王”'],
])('a name that is a link or a header is neither in a mail: %j', (name, expected) => {
  expect(quoted(name)).toBe(expected)
})

test('markup in a name stays text', () => {
  const { html } = compose(letter({ paragraphs: [quoted('<a href="http://evil.example">click</a>')] }))
  expect(html).toContain('“&lt;a href=&#39;http: / / evil. example&#39;&gt;click&lt;/ a&gt;”')
})

test.each(['Subject\r\nBcc: victim@example.com', 'Subject\nX-Evil: 1', 'Subject\r\n\r\nbody'])(
  'no header can be added by way of a subject: %j',
  async (subject) => {
    const to = await send(letter({ subject }))
    const mail = await mails.to(to)
    expect(mail.to).toEqual([to])
    expect(mail.parsed.headers.map(({ key }) => key)).not.toEqual(expect.arrayContaining(['bcc']))
    expect(mail.parsed.headers.map(({ key }) => key)).not.toEqual(expect.arrayContaining(['x-evil']))
  },
)

test('a list of addresses is not sent to each: an address is one address', async () => {
  await send(letter({ to: 'one@example.com, two@example.com' }))
  await quiet()
  expect(mails.received.flatMap(({ to }) => to).filter((to) => /^(one|two)@/.test(to))).toEqual([])
})

test('while the mail server refuses, the mail waits longer from one attempt to the next, and arrives once', async () => {
  mails.refuse(451)
  const before = mails.attempts()
  const to = await send()
  for (const [attempt, wait] of [1, 5, 15, 60].entries()) {
    await until(waiting, ([mail]) => mail?.attempts === attempt + 1)
    await quiet()
    const [mail] = await waiting()
    expect(mail!.due_at - clock.now()).toBe(wait * minute)
    clock.turn(wait * minute - 1)
    await server.app.services.mail.retryDue()
    expect(await jobs()).toEqual([])
    clock.turn(1)
    if (attempt === 3) mails.refuse()
    await server.app.services.mail.retryDue()
  }
  await mails.to(to)
  await until(waiting, (rows) => rows.length === 0)
  await quiet()
  expect(mails.attempts() - before).toBe(5)
  expect(mails.received.filter((mail) => mail.to.includes(to))).toHaveLength(1)
})

test('a refusal for good, and two days in vain, end the attempts', async () => {
  mails.refuse(550)
  const before = mails.attempts()
  await send()
  await until(
    async () => mails.attempts(),
    (count) => count === before + 1,
  )
  await until(waiting, (rows) => rows.length === 0)
  mails.refuse(451)
  await send()
  for (let hours = 0; hours < 60; hours++) {
    await quiet()
    if ((await waiting()).length === 0) break
    clock.turn(60 * minute)
    await server.app.services.mail.retryDue()
  }
  expect(await waiting()).toEqual([])
  expect(mails.attempts() - before).toBe(9)
})

test('the mail goes with its transaction: undone, it is not sent', async () => {
  const before = mails.attempts()
  const undone = server.app.database.transact(async (tx) => {
    await server.app.services.mail.send(tx, letter())
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await mails.to(await send())
  expect(mails.attempts()).toBe(before + 1)
})

test('a server that was killed with mail in its queue sends it after the next start', async () => {
  mails.refuse(451)
  const first = await startServer({ config: { mail: mails.mail } })
  const to = 'after-restart@example.com'
  await first.app.database.transact((tx) => first.app.services.mail.send(tx, letter({ to })))
  await until(
    async () => first.app.database.read.selectFrom('mails').selectAll().execute(),
    ([mail]) => mail?.attempts === 1,
  )
  await first.stop()
  mails.refuse()
  const later = testClock()
  later.turn(minute)
  const second = await startServer({ clock: later, config: first.config })
  await second.app.services.mail.retryDue()
  await mails.to(to)
  await second.close()
})

test('a mail server that wants to know who sends is told, and a wrong password keeps the mail waiting', async () => {
  const strict = await startMailServer({ user: 'forge@example.com', password: 'p@ss/word' })
  const to = 'behind-a-password@example.com'
  const sendBy = async (password: string) => {
    const one = await startServer({ config: { mail: { ...strict.mail, password } } })
    await one.app.database.transact((tx) => one.app.services.mail.send(tx, letter({ to })))
    return one
  }
  const wrong = await sendBy('wrong')
  await until(
    async () => wrong.app.database.read.selectFrom('mails').selectAll().execute(),
    ([mail]) => mail?.attempts === 1,
  )
  await wrong.close()
  const right = await sendBy('p@ss/word')
  await strict.to(to)
  expect(strict.received).toHaveLength(1)
  await right.close()
  await strict.close()
})

test('without a mail server nothing is written down', async () => {
  const silent = await startServer()
  await silent.app.database.transact((tx) => silent.app.services.mail.send(tx, letter()))
  expect(silent.app.services.mail.configured).toBe(false)
  expect(await silent.app.database.read.selectFrom('mails').selectAll().execute()).toEqual([])
  await silent.close()
})
