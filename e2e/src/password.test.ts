import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  button,
  field,
  linkIn,
  screens,
  sees,
  shot,
  signInThrough,
  useMailbox,
  usePlatform,
  useVisitors,
} from './harness/index.ts'

const mailbox = useMailbox()
const platform = usePlatform({ claimed: true, settings: mailbox.settings })
const visitors = useVisitors()
const passwords = ['another horse battery', 'yet another horse battery'] as const

beforeAll(() => platform().people.set('user:reset-password', true))

/** Somebody of this name, in a browser of theirs. */
async function arrive(username: string) {
  const { people } = platform()
  people.add(username)
  return visitors.open(platform(), await people.signIn(username, admin.password))
}

/** The page of the password, opened by its owner, with what fills and sends it. */
async function openPassword(username: string) {
  const { page } = await arrive(username)
  await page.goto('/account/security')
  await page.waitForURL('**/account/security/password')
  const change = async (current: string, next: string, again = next) => {
    await field(page, 'Current password').fill(current)
    await field(page, 'New password').fill(next)
    await field(page, 'Confirm the new password').fill(again)
    await button(page, 'Change Password').click()
  }
  return { page, change }
}

test('[ACCT-23] [ACCT-24] [ACCT-31] A password is changed by who knows it', async () => {
  const { page, change } = await openPassword('nils')
  await change('wrong horse', passwords[0])
  await sees(page.getByText('Password change failed'))
  await shot(page, 'change-password')
  await change(admin.password, passwords[0])
  await sees(screens.toast(page, 'Password successfully updated.'))
  expect((await platform().people.signIn('nils', passwords[0])).username).toBe('nils')
})

test('[ACCT-26] [ACCT-27] [ACCT-28] [ACCT-30] A password is not changed to one that is missing, short or typed in two ways', async () => {
  const { page, change } = await openPassword('nadja')
  await button(page, 'Change Password').click()
  await sees(page.getByText('Enter your current password'), page.getByText('Enter a new password'))
  await change(admin.password, '1234567')
  await sees(page.getByText('Password too short (min. 8 characters)'))
  await change(admin.password, passwords[0], 'something else')
  await sees(page.getByText('Passwords do not match'))
})

test('Sessions are named by their device and address, and end one by one or all others at once', async () => {
  const { page } = await arrive('olga')
  const other = await visitors.open(platform())
  await other.page.goto('/account/settings')
  await signInThrough(other.page, 'olga', admin.password)
  await sees(other.page.getByRole('heading', { name: 'Settings', level: 1 }))
  await platform().people.signIn('olga', admin.password)
  await page.goto('/account/security')
  await page.getByRole('link', { name: 'Sessions' }).click()
  const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
  await sees(rows.filter({ hasText: 'This session' }), rows.filter({ hasText: 'Chrome on Linux' }).first())
  await shot(page, 'sessions')
  const before = await rows.count()
  await rows
    .getByRole('button', { name: /^End session/ })
    .first()
    .click()
  await expect.poll(() => rows.count()).toBe(before - 1)
  platform().people.age('olga')
  await button(page, 'End All Other Sessions').click()
  await button(page, 'End sessions').click()
  await sees(screens.heading(page, 'Is it you?'))
  await shot(page, 'proof')
  await field(page, 'Your password').fill('not this one')
  await button(page, 'Continue').click()
  await sees(page.getByText('This is not your password'))
  await field(page, 'Your password').fill(admin.password)
  await button(page, 'Continue').click()
  await expect.poll(() => rows.count()).toBe(1)
  // Nobody touches the other browser: it hears of it.
  await sees(screens.login.button(other.page))
  expect(new URL(other.page.url()).pathname).toBe('/account/settings')
})

test('[ACCT-46] An address of its own signs out', async () => {
  const { page } = await arrive('petra')
  await Promise.all([
    page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/account/logout')),
    page.goto('/account/logout'),
  ])
  await sees(screens.login.button(page))
  expect(new URL(page.url()).pathname).toBe('/')
})

test('[LOGIN-05] [ACCT-32] [ACCT-33] [ACCT-34] Who forgot the password is asked for the address that a link is sent to', async () => {
  platform().people.add('paul')
  const { page } = await visitors.open(platform())
  await page.goto('/')
  const forgotten = page.getByRole('link', { name: 'Forgot your password' })
  await sees(screens.login.button(page))
  expect(await forgotten.count()).toBe(0)
  await screens.login.username(page).fill('paul')
  await screens.login.button(page).click()
  await forgotten.click()
  await page.waitForURL('**/account/forgot-password')
  await button(page, 'Send the link').click()
  await sees(page.getByText('Enter email address'))
  await shot(page, 'forgot-password')
  await field(page, 'Email').fill('paul@example.com')
  await button(page, 'Send the link').click()
  await sees(page.getByText('We have sent you an email with instructions to reset your password'))
  expect(linkIn(await mailbox.take('paul@example.com', /new password/i), platform())).toContain('/change-password/')
})

test('[ACCT-29] [ACCT-35] [ACCT-36] [ACCT-38] The link of the mail asks for a new password, which signs in', async () => {
  platform().people.add('paula')
  const { page } = await visitors.open(platform())
  await page.goto('/account/forgot-password')
  await field(page, 'Email').fill('paula@example.com')
  await button(page, 'Send the link').click()
  await page.goto(linkIn(await mailbox.take('paula@example.com', /new password/i), platform()))
  const change = async (next: string, again = next) => {
    await field(page, 'New password').fill(next)
    await field(page, 'Confirm the new password').fill(again)
    await button(page, 'Change Password').click()
  }
  await change('')
  await sees(page.getByText('Enter a new password'))
  await change('1234567')
  await sees(page.getByText('Password too short', { exact: true }))
  await change(passwords[1], passwords[0])
  await sees(page.getByText('Passwords do not match'))
  await shot(page, 'reset-password')
  await change(passwords[1])
  await sees(screens.toast(page, 'Password successfully updated.'), screens.login.button(page))
  expect((await platform().people.signIn('paula', passwords[1])).username).toBe('paula')
})
