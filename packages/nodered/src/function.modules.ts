import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The functions by which Node-RED loads modules of the user directory for functions and nodes. */
interface ExternalModules {
  require(spec: string): unknown
  import(spec: string): Promise<unknown>
}

/** The name before a version, with a path behind the name: `nanoid@3`, `@scope/name/path@1.0.0`. */
const withVersion = /^((?:@[^/@]+\/)?[^/@]+(?:\/[^@]+)?)@/

/**
 * Node-RED installs `nanoid@3` for a function, and then looks for a folder of just that name. Takes the version off
 * before it looks. `nodeRedPath`: folder of the stack.
 */
export function loadWithoutVersions(nodeRedPath: string): void {
  const fromStack = createRequire(join(nodeRedPath, 'node_modules', 'node-red', 'package.json'))
  const modules = fromStack('@node-red/registry/lib/externalModules.js') as ExternalModules
  const { require: load, import: loadAsync } = modules
  const nameOf = (spec: string) => withVersion.exec(spec)?.[1] ?? spec
  modules.require = (spec) => load(nameOf(spec))
  modules.import = (spec) => loadAsync(nameOf(spec))
}
