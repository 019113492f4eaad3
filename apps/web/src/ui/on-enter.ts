import type { KeyboardEvent } from 'react'

/** For a one-line field inside a form: Enter does this, and does not submit the form. */
export const onEnter =
  (act: () => void) =>
  (event: KeyboardEvent): void => {
    // Enter also ends the composition of a character.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    act()
  }
