import { mkdirSync, symlinkSync } from 'node:fs'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of the versions of Node-RED that tests start. */
export const stacksDir = process.env.FORGE_TEST_STACKS ?? join(import.meta.dirname, '../../../.cache/stacks')

/** A new home of a platform that finds these versions installed. */
export async function homeWithStacks(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'forge-real-'))
  mkdirSync(join(home, 'stacks'))
  for (const one of await readdir(stacksDir)) symlinkSync(join(stacksDir, one), join(home, 'stacks', one))
  return home
}
