import { useVisitors } from './browser.ts'
import { createOwnerOf } from './instances.ts'
import { openPlatform } from './platform.ts'

/**
 * A platform with an owner, a team and an instance of this name that runs, and the browsers of its visitors: for all
 * tests of a file, which asks for it on its first lines.
 */
export async function openWorkshop(instance: string) {
  const platform = await openPlatform({ claimed: true })
  const visitors = useVisitors()
  return { platform: () => platform, visitors, ...(await createOwnerOf(instance, platform)) }
}
