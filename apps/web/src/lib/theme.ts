import { readStored, writeStored } from './storage.ts'

const themes = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themes)[number]

const key = 'theme'
/** Matches when the system wants a dark theme. */
export const system = () => matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

/** The theme that this browser was told to use; `system` unless told. */
export function chosenTheme(): ThemeChoice {
  const stored = readStored(key)
  return themes.find((name) => name === stored) ?? 'system'
}

const isDark = (choice: ThemeChoice): boolean => choice === 'dark' || (choice === 'system' && system().matches)

/** Puts the theme on the document, as boot.js did before the first paint. */
export function applyTheme(dark = isDark(chosenTheme())): void {
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  document.documentElement.classList.toggle('dark', dark)
}

/** Follows the system and the other tabs from now on, on every page, whether or not it shows the switch. */
export function followTheme(): void {
  const changed = () => {
    applyTheme()
    for (const listener of listeners) listener()
  }
  system().addEventListener('change', changed)
  window.addEventListener('storage', changed)
}

/** Calls the listener when the theme changes, until the returned function is called. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Chooses a theme for this browser, and puts it on the document. */
export function setTheme(theme: ThemeChoice): void {
  writeStored(key, theme === 'system' ? undefined : theme)
  // Storage may be refused: the choice then holds for this page.
  applyTheme(isDark(theme))
  for (const listener of listeners) listener()
}
