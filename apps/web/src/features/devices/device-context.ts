import type { DeviceDetails } from '@app/contract'
import { createContext, useContext } from 'react'

export const DeviceContext = createContext<DeviceDetails | undefined>(undefined)

/** The device whose page this is. */
export function useCurrentDevice(): DeviceDetails {
  const device = useContext(DeviceContext)
  if (!device) throw new Error('No device around this page')
  return device
}
