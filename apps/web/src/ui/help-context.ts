import { createContext } from 'react'

/** The address of the handbook's section about the page that is shown, if there is one. */
export const HelpContext = createContext<string | undefined>(undefined)
