// Every instance loads this. It is apart from the schemas because zod would take 10 MB of memory in each.

/**
 * Names that change how programs start or where they are found: a flow has code for that, and the platform sets its
 * own. `HOME` is also how the platform finds the programs that a flow has left running.
 */
const refused = /^(?:NODE_OPTIONS|NODE_PATH|PATH|HOME|LD_.*|npm_config_.*)$/i

/** Lengths of the name and value of a variable. */
export const envNameMax = 200
export const envValueMax = 64 * 1024

export type EnvNameFault = 'Invalid name' | 'Reserved name' | 'Not allowed'

/** Why a name cannot be one of a variable; undefined when it can [ENV-02] [ENV-03]. */
export function envNameFault(name: string): EnvNameFault | undefined {
  if (name === '' || /[\s=\0]/.test(name)) return 'Invalid name'
  if (name.startsWith('FF_')) return 'Reserved name'
  return name === '__proto__' || refused.test(name) ? 'Not allowed' : undefined
}
