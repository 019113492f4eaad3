import { expect, test } from 'vitest'
import { haMessage } from './ha.ts'
import { settingsTabs } from './tabs.ts'

test('[HA-04] [HA-05] the message says that the instance restarts, unless it is suspended', () => {
  expect(haMessage(true, 'running')).toBe('High Availability mode enabled. The Instance will now be restarted')
  expect(haMessage(false, 'running')).toBe('High Availability mode disabled. The Instance will now be restarted')
  expect(haMessage(true, 'suspended')).toBe('High Availability mode enabled')
  expect(haMessage(false, 'suspended')).toBe('High Availability mode disabled')
})

test('[ISET-05] the menu has High Availability for who may edit, where the platform offers it', () => {
  const labels = (mayEdit: boolean, hasHa: boolean) => settingsTabs({ mayEdit, hasHa }).map(({ label }) => label)
  expect(labels(true, true)).toEqual(['General', 'Environment', 'High Availability', 'Editor', 'Security', 'Palette'])
  expect(labels(true, false)).not.toContain('High Availability')
  for (const hasHa of [true, false]) expect(labels(false, hasHa)).toEqual(['General', 'Environment'])
})
