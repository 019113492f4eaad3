import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { readFileSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { admin, openConsole, screens, sees, shot, signInThrough, type Visitor } from './harness/index.ts'

const { platform, visitors } = await openConsole()
const page = '/account/security/second-factor'
const dialog = ({ page }: Visitor) => page.getByRole('dialog')
const button = ({ page }: Visitor, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (visitor: Visitor, name: string) => dialog(visitor).getByRole('button', { name, exact: true })

/** An authenticator app. A code counts once, and that of the half minute to come counts already: two without waiting. */
function createApp(secret: string) {
  let half = 0
  const usedCode = () => new TOTP({ secret }).generate({ timestamp: half * 30_000 })
  const nextCode = () => {
    half = Math.max(Math.floor(Date.now() / 30_000), half + 1)
    return usedCode()
  }
  return { usedCode, nextCode }
}

/** A visitor who has just signed in, and whose account has an authenticator app. */
async function openWithApp(username: string) {
  const { people } = platform()
  people.add(username)
  const person = await people.signIn(username, admin.password)
  const proof = { password: admin.password }
  const { secret } = await person.client.call('secondFactor.startApp', { body: { proof } })
  const app = createApp(secret)
  await person.client.call('secondFactor.confirmApp', { body: { code: app.nextCode() } })
  return { visitor: await visitors.open(platform(), person), ...app }
}

/** Adds a passkey on the page of second factors, with the password. */
async function addPasskey(visitor: Visitor, name: string): Promise<void> {
  await dialog(visitor).getByLabel('Your password').fill(admin.password)
  await inDialog(visitor, 'Continue').click()
  await dialog(visitor).getByLabel('Name').fill(name)
  await inDialog(visitor, 'Create the passkey').click()
  await sees(visitor.page.getByRole('button', { name: `Remove ${name}` }))
}

/** Starts at the login screen and gives the name and the password. */
async function passwordStep(page: Page, username: string): Promise<void> {
  await page.context().clearCookies()
  await page.goto('/account/settings')
  await signInThrough(page, username, admin.password)
  await sees(screens.heading(page, 'Second factor'))
}

/** An authenticator in the browser that answers by itself, as a fingerprint reader under a waiting finger. */
async function plugIn({ context, page }: Visitor) {
  const browser = await context.newCDPSession(page)
  await browser.send('WebAuthn.enable')
  const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { forget: () => browser.send('WebAuthn.clearCredentials', { authenticatorId }) }
}

test('An authenticator app is added by its picture or its secret, with recovery codes to keep', async () => {
  platform().people.add('bob')
  const visitor = await visitors.open(platform(), await platform().people.signIn('bob', admin.password))
  await visitor.page.goto(page)
  await sees(visitor.page.getByText('Your password alone signs you in.', { exact: false }))
  await shot(visitor.page, 'second-factor-none')
  await button(visitor, 'Add App').click()
  await inDialog(visitor, 'Continue').click()
  await sees(dialog(visitor).getByText('Enter your password'))
  await dialog(visitor).getByLabel('Your password').fill('wrong')
  await inDialog(visitor, 'Continue').click()
  await sees(dialog(visitor).getByText('This is not your password'))
  await dialog(visitor).getByLabel('Your password').fill(admin.password)
  await inDialog(visitor, 'Continue').click()

  await sees(dialog(visitor).getByRole('img', { name: /QR code of the secret/ }))
  await dialog(visitor).getByRole('button', { name: 'Copy secret' }).click()
  const secret = await visitor.page.evaluate<string>('navigator.clipboard.readText()')
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  await dialog(visitor).getByLabel('Code from the app').fill('000000')
  await inDialog(visitor, 'Confirm the code').click()
  await sees(dialog(visitor).getByText(/code is wrong/))
  await shot(visitor.page, 'second-factor-app')
  await dialog(visitor).getByLabel('Code from the app').fill(createApp(secret).nextCode())
  await inDialog(visitor, 'Confirm the code').click()

  await sees(screens.heading(visitor.page, 'Your recovery codes'))
  const recoveryCodes = await dialog(visitor).getByRole('listitem').allInnerTexts()
  expect(recoveryCodes).toHaveLength(10)
  await inDialog(visitor, 'Copy all').click()
  expect((await visitor.page.evaluate<string>('navigator.clipboard.readText()')).trim()).toBe(recoveryCodes.join('\n'))
  const [download] = await Promise.all([visitor.page.waitForEvent('download'), inDialog(visitor, 'Download').click()])
  expect(download.suggestedFilename()).toBe('flowforge-recovery-codes-bob.txt')
  expect(readFileSync(await download.path(), 'utf8').trim()).toBe(recoveryCodes.join('\n'))
  await shot(visitor.page, 'second-factor-codes')
  await inDialog(visitor, 'I have saved them').click()
  await sees(visitor.page.getByText('10 left'), visitor.page.getByRole('button', { name: 'Remove Authenticator app' }))
})

test('After the password a code of the app is asked for; a wrong one and a used one do not open', async () => {
  const { visitor, usedCode, nextCode } = await openWithApp('erin')
  await passwordStep(visitor.page, 'erin')
  const field = visitor.page.getByLabel('Code of your authenticator app')
  await field.fill('000000')
  await screens.login.button(visitor.page).click()
  await sees(visitor.page.getByText(/code is wrong/))
  await shot(visitor.page, 'login-second-factor')
  await field.fill(usedCode())
  await screens.login.button(visitor.page).click()
  await sees(visitor.page.getByText(/code is wrong/))
  // Typed as people type: a button takes a second Enter at once for a key that was pressed twice.
  await field.clear()
  await field.pressSequentially(nextCode(), { delay: 50 })
  await field.press('Enter')
  await visitor.page.waitForURL('**/account/settings')
  await sees(screens.heading(visitor.page, 'Settings'))
})

test('A passkey is added, and signs in after the password; without it the browser says so', async () => {
  const { visitor, usedCode } = await openWithApp('frank')
  const authenticator = await plugIn(visitor)
  await visitor.page.goto(page)
  await button(visitor, 'Add Passkey').click()
  await inDialog(visitor, 'Use a code').click()
  await dialog(visitor).getByLabel('Code of your authenticator app').fill(usedCode())
  await inDialog(visitor, 'Continue').click()
  await sees(dialog(visitor).getByText(/was used before/))
  await inDialog(visitor, 'Use your password').click()
  await addPasskey(visitor, 'Work laptop')
  await shot(visitor.page, 'second-factor-all')

  await passwordStep(visitor.page, 'frank')
  await shot(visitor.page, 'login-passkey')
  await button(visitor, 'Continue with a passkey').click()
  await sees(screens.heading(visitor.page, 'Settings'))
  await visitor.page.goto(page)
  await button(visitor, 'Make New Codes').click()
  await inDialog(visitor, 'Use a passkey').click()
  await sees(screens.heading(visitor.page, 'Your recovery codes'))
  const recoveryCodes = await dialog(visitor).getByRole('listitem').allInnerTexts()

  await authenticator.forget()
  await passwordStep(visitor.page, 'frank')
  await button(visitor, 'Continue with a passkey').click()
  await sees(visitor.page.getByText('The browser was not given a passkey. Try again.'))
  const renewed = visitor.page.waitForResponse('**/account/login/challenge')
  await button(visitor, 'Continue with a passkey').click()
  expect((await renewed).status()).toBe(200)
  await sees(visitor.page.getByText('The browser was not given a passkey. Try again.'))
  await button(visitor, 'Use a recovery code').click()
  await visitor.page.getByLabel('Recovery code').fill(recoveryCodes[0]!.toUpperCase())
  await screens.login.button(visitor.page).click()
  await sees(screens.heading(visitor.page, 'Settings'))
  await visitor.page.goto(page)
  await sees(visitor.page.getByText('9 left'))
})

test('Factors are removed with the password; with the last one the password alone signs in', async () => {
  const { visitor } = await openWithApp('grace')
  await plugIn(visitor)
  await visitor.page.goto(page)
  await button(visitor, 'Add Passkey').click()
  await addPasskey(visitor, 'Work laptop')
  for (const name of ['Work laptop', 'Authenticator app']) {
    await button(visitor, `Remove ${name}`).click()
    await dialog(visitor).getByLabel('Your password').fill(admin.password)
    if (name === 'Authenticator app') {
      await sees(dialog(visitor).getByText(/It is your last second factor/))
      await shot(visitor.page, 'second-factor-remove')
    }
    await inDialog(visitor, 'Remove').click()
    await sees(screens.toast(visitor.page, `${name} removed.`))
  }
  await sees(visitor.page.getByText('Your password alone signs you in.', { exact: false }))
  await visitor.page.context().clearCookies()
  await visitor.page.goto('/account/settings')
  await signInThrough(visitor.page, 'grace', admin.password)
  await sees(screens.heading(visitor.page, 'Settings'))
})

test('An administrator requires a second factor of everyone; who has none is led through it, and then on', async () => {
  const { people } = platform()
  for (const name of ['carol', 'dora']) people.add(name)
  // It is required of the people of the other tests as well.
  onTestFinished(() => people.set('user:mfa-required', false))
  const boss = await visitors.open(platform(), await people.signIn(admin.username, admin.password))
  await plugIn(boss)
  await boss.page.goto('/admin/settings/general')
  const require = boss.page.getByRole('switch', { name: 'Require a second factor' })
  const own = boss.page.getByRole('link', { name: 'Add one of your own' })
  await sees(own)
  expect(await require.isDisabled()).toBe(true)
  await own.click()
  await button(boss, 'Add Passkey').click()
  await dialog(boss).getByLabel('Your password').fill(admin.password)
  await inDialog(boss, 'Continue').click()
  await inDialog(boss, 'Create the passkey').click()
  await inDialog(boss, 'I have saved them').click()
  await boss.page.goBack()
  await require.click()
  await boss.page.getByRole('button', { name: 'Require Second Factor' }).click()
  await sees(screens.toast(boss.page, 'A second factor is required now.'))
  expect(await require.isChecked()).toBe(true)

  const visitor = await visitors.open(platform())
  const { page: gated } = visitor
  await gated.goto('/account/security/sessions')
  await signInThrough(gated, 'carol', admin.password)
  await sees(screens.heading(gated, 'Add a second factor'))
  await shot(gated, 'gate-second-factor')
  await gated.reload()
  await sees(screens.heading(gated, 'Add a second factor'))
  await button(visitor, 'Add an authenticator app').click()
  await dialog(visitor).getByLabel('Your password').fill(admin.password)
  await inDialog(visitor, 'Continue').click()
  await dialog(visitor).getByRole('button', { name: 'Copy secret' }).click()
  const secret = await gated.evaluate<string>('navigator.clipboard.readText()')
  await dialog(visitor).getByLabel('Code from the app').fill(createApp(secret).nextCode())
  await inDialog(visitor, 'Confirm the code').click()
  await inDialog(visitor, 'I have saved them').click()
  await sees(screens.heading(gated, 'Security'))
  expect(new URL(gated.url()).pathname).toBe('/account/security/sessions')

  const dora = await visitors.open(platform())
  await dora.page.goto('/')
  await signInThrough(dora.page, 'dora', admin.password)
  await sees(screens.heading(dora.page, 'Add a second factor'))
  await button(dora, 'Sign Out').click()
  await sees(screens.login.username(dora.page))
})
