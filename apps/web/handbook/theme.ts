import { followTheme, setTheme, system } from '../src/lib/theme.ts'

/** Makes the button switch the theme, and follows the system and the console in other tabs. */
export function enableTheme(): void {
  followTheme()
  document.querySelector('.theme')?.addEventListener('click', () => {
    const dark = document.documentElement.dataset.theme !== 'dark'
    setTheme(dark === system().matches ? 'system' : dark ? 'dark' : 'light')
  })
}
