import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

/** Settings of an installed platform, one `NAME=value` on each line. The service and every command read them. */
export const settingsFile = '/etc/flowforge/flowforge.env'

/** Where an installed platform keeps its state, unless FORGE_HOME says otherwise. */
export const defaultHome = (uid = process.getuid?.()): string =>
  uid === 0 ? '/var/lib/flowforge' : join(homedir(), '.flowforge')

/**
 * The environment with the settings of the file and the default of FORGE_HOME. The environment wins over the file.
 * @param file read if it exists and this user may read it.
 */
export function installedEnvironment(env: NodeJS.ProcessEnv, file = settingsFile): NodeJS.ProcessEnv {
  return { FORGE_HOME: defaultHome(), ...settingsIn(file), ...env }
}

function settingsIn(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
