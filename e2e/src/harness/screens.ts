import type { Locator, Page } from 'playwright-core'

/** Controls that several journeys use, named as the screens name them. */
export const screens = {
  heading: (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first(),
  toast: (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text }).first(),
  /** The badge beside the name in the header of an instance page. */
  status: (page: Page, state: string) => page.locator('main span').getByText(state, { exact: true }).first(),

  login: {
    username: (page: Page) => page.getByRole('textbox', { name: /username/i }),
    password: (page: Page) => page.getByLabel('Password', { exact: true }),
    button: (page: Page) => page.getByRole('button', { name: 'Login' }),
  },

  menu: {
    async choose(page: Page, button: string | RegExp, item: string): Promise<void> {
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    },
  },
}

/** The control with exactly this label. */
export const field = (page: Page, label: string): Locator => page.getByLabel(label, { exact: true })

/** The button with exactly this name. */
export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })

/** Fills the two steps of the login screen. */
export async function signInThrough(page: Page, username: string, password: string): Promise<void> {
  await screens.login.username(page).fill(username)
  await screens.login.button(page).click()
  await screens.login.password(page).fill(password)
  await screens.login.button(page).click()
}

/** A toast is read out by an element beside it, with the same words, for a second. */
const notReadOut = ':not([role=status]:has-text("Notification "))'

/** Waits until it is on the screen. */
export async function sees(...locators: Locator[]): Promise<void> {
  for (const locator of locators) await locator.and(locator.page().locator(notReadOut)).waitFor()
}

/** Waits until a dialog says what replaces what. */
export async function seesDirection(within: Locator, from: string | RegExp, to: string | RegExp): Promise<void> {
  const [left, right] = ['From', 'To'].map((word) =>
    within
      .getByRole('group', { name: 'Direction' })
      .locator('> div')
      .filter({ hasText: new RegExp(`^${word}`) }),
  )
  await sees(left!.filter({ hasText: from }), right!.filter({ hasText: to }))
}
