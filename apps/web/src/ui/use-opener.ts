import { useState } from 'react'

/**
 * Remembers what had the focus when a dialog opened, and gives it back when the dialog closes. Radix does this only
 * for dialogs with a trigger of their own. An item of a menu is gone by then: its menu's button stands in for it.
 * @returns what goes into `onCloseAutoFocus`.
 */
export function useOpener(open: boolean): (event: Event) => void {
  const [was, setWas] = useState(false)
  const [opener, setOpener] = useState<HTMLElement>()
  // While rendering, not in an effect: a field with autoFocus inside the dialog takes the focus before any effect.
  if (open !== was) {
    setWas(open)
    if (open) setOpener(openerOf(document.activeElement))
  }
  return (event) => {
    event.preventDefault()
    if (opener?.isConnected === false) standIn(opener).focus()
    else opener?.focus()
  }
}

/** A control that does the same when the opener is gone, such as the button of a list that was empty; else the page. */
function standIn(opener: HTMLElement): { focus(): void } {
  const main = document.querySelector('main')
  const name = nameOf(opener)
  const same = [...(main?.querySelectorAll('button') ?? [])].find((one) => nameOf(one) === name)
  return same ?? main ?? document.body
}

/** A button that shows an icon alone has its name in a label. */
const nameOf = (one: HTMLElement) => one.ariaLabel ?? one.textContent.trim()

function openerOf(element: Element | null): HTMLElement | undefined {
  const menu = element?.closest('[role=menu]')
  const button = menu ? document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`) : element
  return button instanceof HTMLElement ? button : undefined
}
