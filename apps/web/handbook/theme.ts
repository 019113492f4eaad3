const system = matchMedia('(prefers-color-scheme: dark)')

function chosen(): string | null {
  try {
    return localStorage.getItem('theme')
  } catch {
    return null
  }
}

function apply(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.classList.toggle('dark', dark)
}

/** Makes the button switch the theme, and follows the system and the console in other tabs. */
export function enableTheme(): void {
  const follow = () => apply(chosen() === 'dark' || (chosen() !== 'light' && system.matches))
  system.addEventListener('change', follow)
  addEventListener('storage', follow)
  document.querySelector('.theme')?.addEventListener('click', () => {
    const dark = document.documentElement.dataset.theme !== 'dark'
    apply(dark)
    try {
      if (dark === system.matches) localStorage.removeItem('theme')
      else localStorage.setItem('theme', dark ? 'dark' : 'light')
    } catch {
      // Storage may be refused: the choice then holds for this page.
    }
  })
}
