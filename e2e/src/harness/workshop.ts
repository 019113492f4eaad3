import { useVisitors } from './browser.ts'
import { createOwner, createOwnerOf } from './instances.ts'
import { openPlatform } from './platform.ts'

/**
 * A platform that has its administrator, and the browsers of its visitors: for all tests of a file, which asks for it on
 * its first lines.
 */
export async function openConsole() {
  const platform = await openPlatform({ claimed: true })
  return { platform: () => platform, visitors: useVisitors() }
}

/** The same with bob, who is no administrator and owns a team with one application. */
export async function openTeam(name?: string) {
  const console = await openConsole()
  return { ...console, ...(await createOwner(console.platform(), name)) }
}

/** The same with an instance in the application, which runs. */
export async function openWorkshop(instance: string, teamName?: string) {
  const console = await openConsole()
  return { ...console, ...(await createOwnerOf(instance, console.platform(), teamName)) }
}
