import type { Instance } from '@app/contract'
import { createContext, useContext } from 'react'

export const InstanceContext = createContext<Instance | undefined>(undefined)

/** The instance whose page this is. */
export function useCurrentInstance(): Instance {
  const instance = useContext(InstanceContext)
  if (!instance) throw new Error('No instance around this page')
  return instance
}
