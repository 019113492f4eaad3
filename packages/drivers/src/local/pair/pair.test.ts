import { describePair } from '../../conformance.pair.ts'
import { openLocal } from '../../testing/local.harness.ts'

describePair('local', async () => {
  const local = await openLocal()
  return { ...local, reopen: local.open }
})
