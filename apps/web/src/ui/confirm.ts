import type { ReactNode } from 'react'
import { createCell } from '../lib/cell.ts'

export type Question = {
  /** The title: 'Delete Instance'. */
  title: string
  /** Names the thing and the consequence. */
  message: ReactNode
  /** Text of the button: 'Delete'. */
  confirmLabel: string
  cancelLabel?: string
  danger?: boolean
  /** The exact text to type before the button works. */
  typed?: string
  /** A box to check under the message, which begins unchecked. */
  option?: { label: string; help?: string; onChange: (checked: boolean) => void }
  /** True when going on is not possible; the message says why. */
  disabled?: boolean
}
export type OpenQuestion = Question & { answer: (yes: boolean) => void }

/** The open question, for ConfirmHost. */
export const confirmation = createCell<OpenQuestion | undefined>(undefined)

/** Asks, from anywhere; ConfirmHost shows it. True for yes. A second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  confirmation.current()?.answer(false)
  return new Promise((resolve) => {
    const answer = (yes: boolean) => {
      confirmation.set(undefined)
      resolve(yes)
    }
    confirmation.set({ ...question, answer })
  })
}
