import { basename } from 'node:path'

/** The versions of Node-RED that tests start. */
export const versions = ['4.1.15', '5.0.7'] as const

/**
 * The versions on which one file of tests runs. Half of the files run on each, the same at every run, because both take
 * twice as long and seldom tell more. FORGE_TEST_VERSIONS=all runs all of them on both.
 */
export function versionsFor(file: string): readonly string[] {
  if (process.env.FORGE_TEST_VERSIONS === 'all') return versions
  const sum = [...basename(file)].reduce((all, letter, place) => all + letter.charCodeAt(0) * (place + 1), 0)
  return [versions[sum % versions.length]!]
}
