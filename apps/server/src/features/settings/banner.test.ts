import { expect, test } from 'vitest'
import { openMailServer, openServer, startServer } from '../../../testing/index.ts'
import { cleanBanner } from './banner.ts'

const mails = await openMailServer()
const server = await openServer({ config: { mail: mails.mail } })

test('[SIGNUP-08] the sign-up page gets both banners, cleaned, and none when they are empty', async () => {
  const read = () => server.build.anonymous.call('settings.get')
  expect(Object.keys(await read()).filter((key) => key.startsWith('branding'))).toEqual([])
  await server.build.setting('branding:account:signUpTopBanner', '<h2>Welcome</h2><script>alert(1)</script>')
  await server.build.setting('branding:account:signUpLeftBanner', '<p onclick="x()">Left <b>side</b></p>')
  expect(await read()).toMatchObject({
    'branding:account:signUpTopBanner': '<h2>Welcome</h2>',
    'branding:account:signUpLeftBanner': '<p>Left <b>side</b></p>',
  })
  await server.build.setting('branding:account:signUpTopBanner', '<script>alert(1)</script>')
  expect(await read()).not.toHaveProperty('branding:account:signUpTopBanner')
})

test.each([
  [
    '<a href="https://example.com">x</a>',
    '<a href="https://example.com" target="_blank" rel="noopener noreferrer">x</a>',
  ],
  ['<a href="javascript:alert(1)">x</a>', '<a target="_blank" rel="noopener noreferrer">x</a>'],
  ['<a href="//evil.example">x</a>', '<a target="_blank" rel="noopener noreferrer">x</a>'],
  ['<img src=x onerror=alert(1)>text', 'text'],
  ['<svg><style>*{}</style></svg><iframe src="//x"></iframe>text', 'text'],
  ['<form action="//x"><input name="a">text</form>', 'text'],
  ['<p style="position:fixed" class="x">text</p>', '<p>text</p>'],
  ['<<script>script>alert(1)</script>', '&lt;'],
])('%s becomes %s', async (html, clean) => {
  expect(await cleanBanner(html)).toBe(clean)
})

test('with mail the switches show as they are, and administrators learn how it goes out, without a password', async () => {
  await server.build.setting('user:signup', true)
  await server.build.setting('user:reset-password', true)
  await server.build.setting('team:user:invite:external', true)
  const { build } = server
  expect(await build.anonymous.call('settings.get')).toMatchObject({ 'user:signup': true, 'user:reset-password': true })
  const person = await (await build.user()).client.call('settings.get')
  expect(person).toMatchObject({ email: true, 'team:user:invite:external': true })
  expect((await (await build.user({ admin: true })).client.call('settings.get')).email).toEqual({
    from: 'FlowForge <forge@platform.example>',
    smtp: { host: '127.0.0.1', port: mails.mail.port, secure: false },
  })
})

test('without mail only administrators see that the switches are on', async () => {
  const silent = await startServer()
  await silent.build.setting('user:signup', true)
  await silent.build.setting('user:reset-password', true)
  const off = { 'user:signup': false, 'user:reset-password': false }
  expect(await silent.build.anonymous.call('settings.get')).toMatchObject(off)
  expect(await (await silent.build.user()).client.call('settings.get')).toMatchObject({ ...off, email: false })
  expect(await (await silent.build.user({ admin: true })).client.call('settings.get')).toMatchObject({
    'user:signup': true,
    'user:reset-password': true,
    email: false,
  })
  await silent.close()
})
