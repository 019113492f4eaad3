import { expect, test } from 'vitest'
import { haMessage } from './ha.ts'

test('[HA-04] [HA-05] the message says that the instance restarts, unless it is suspended', () => {
  expect(haMessage(true, 'running')).toBe('High Availability mode enabled. The Instance will now be restarted')
  expect(haMessage(false, 'running')).toBe('High Availability mode disabled. The Instance will now be restarted')
  expect(haMessage(true, 'suspended')).toBe('High Availability mode enabled')
  expect(haMessage(false, 'suspended')).toBe('High Availability mode disabled')
})
