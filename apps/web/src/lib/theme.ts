import { useSyncExternalStore } from 'react'
import { readStored, writeStored } from './storage.ts'

const themes = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themes)[number]

const key = 'theme'
const system = () => matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function choice(): ThemeChoice {
  const stored = readStored(key)
  return themes.find((name) => name === stored) ?? 'system'
}

function isDark(): boolean {
  return choice() === 'dark' || (choice() === 'system' && system().matches)
}

/** Puts the theme on the document, as boot.js did before the first paint. */
export function applyTheme(dark = isDark()): void {
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

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the chosen theme, the theme in use, and a function to choose again. Kept per browser, shared by its tabs. */
export function useTheme(): { theme: ThemeChoice; dark: boolean; setTheme: (theme: ThemeChoice) => void } {
  const theme = useSyncExternalStore(subscribe, choice)
  const dark = useSyncExternalStore(subscribe, isDark)
  return { theme, dark, setTheme }
}

function setTheme(theme: ThemeChoice): void {
  writeStored(key, theme === 'system' ? undefined : theme)
  applyTheme()
  for (const listener of listeners) listener()
}
