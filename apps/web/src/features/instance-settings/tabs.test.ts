import { expect, test } from 'vitest'
import { settingsTabs } from './tabs.ts'

test('[ISET-05] the menu has High Availability for who may edit, where the platform offers it', () => {
  const labels = (mayEdit: boolean, hasHa: boolean) => settingsTabs({ mayEdit, hasHa }).map(({ label }) => label)
  expect(labels(true, true)).toEqual(['General', 'Environment', 'High Availability', 'Editor', 'Security', 'Palette'])
  expect(labels(true, false)).not.toContain('High Availability')
  for (const hasHa of [true, false]) expect(labels(false, hasHa)).toEqual(['General', 'Environment'])
})
