import { useSyncExternalStore } from 'react'
import { chosenTheme, onThemeChange, setTheme, type ThemeChoice } from './theme.ts'

/** Returns the chosen theme and a function to choose again. Kept per browser, shared by its tabs. */
export function useTheme(): { theme: ThemeChoice; setTheme: (theme: ThemeChoice) => void } {
  return { theme: useSyncExternalStore(onThemeChange, chosenTheme), setTheme }
}
