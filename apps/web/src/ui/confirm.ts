import type { ReactNode } from 'react'

export type Question = {
  /** What is about to happen: 'Delete Instance'. */
  title: string
  /** Names the thing and the consequence. */
  message: ReactNode
  /** What the button does: 'Delete'. */
  confirmLabel: string
  cancelLabel?: string
  danger?: boolean
  /** The exact text to type before the button works. */
  typed?: string
  /** True when going on is not possible; the message says why. */
  disabled?: boolean
}
export type OpenQuestion = Question & { answer: (yes: boolean) => void }

let open: OpenQuestion | undefined
const listeners = new Set<() => void>()

function change(next: OpenQuestion | undefined): void {
  open = next
  for (const listener of listeners) listener()
}

/** Asks, from anywhere; ConfirmHost shows it. True for yes. A second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false)
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      change(undefined)
      resolve(yes)
    }
    change({ ...question, answer })
  })
}

/** What ConfirmHost listens to. */
export const confirmation = {
  current: () => open,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}
