import type { Device } from '@app/contract'
import { createContext, useContext } from 'react'

export const DeviceContext = createContext<Device | undefined>(undefined)

/** The device whose page this is. */
export function useCurrentDevice(): Device {
  const device = useContext(DeviceContext)
  if (!device) throw new Error('No device around this page')
  return device
}
