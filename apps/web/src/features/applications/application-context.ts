import type { Application } from '@app/contract'
import { createContext, useContext } from 'react'

export const ApplicationContext = createContext<Application | undefined>(undefined)

/** The application whose page this is. */
export function useCurrentApplication(): Application {
  const application = useContext(ApplicationContext)
  if (!application) throw new Error('No application around this page')
  return application
}
