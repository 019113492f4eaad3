import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The functions by which Node-RED loads modules of the user directory for functions and nodes. */
interface ExternalModules {
  require(spec: string): unknown
  import(spec: string): Promise<unknown>
  /** Nodes of this type have modules in this property. */
  register(type: string, property: string): void
  /** A subflow of this type came with a package. */
  registerSubflow(type: string, subflow: object): void
}

type Part = Record<string, unknown> & { type: string }
interface Registry {
  checkFlowDependencies(flows: Part[]): Promise<void>
}

/** The name before a version, with a path behind the name: `nanoid@3`, `@scope/name/path@1.0.0`. */
const withVersion = /^((?:@[^/@]+\/)?[^/@]+(?:\/[^@]+)?)@/

/**
 * Node-RED installs `nanoid@3` for a function, and then looks for a folder of just that name. Takes the version off
 * before it looks. `nodeRedPath`: folder of the stack.
 */
export function loadWithoutVersions(nodeRedPath: string): void {
  const modules = externalModules(nodeRedPath)
  const { require: load, import: loadAsync } = modules
  const nameOf = (spec: string) => withVersion.exec(spec)?.[1] ?? spec
  modules.require = (spec) => load(nameOf(spec))
  modules.import = (spec) => loadAsync(nameOf(spec))
}

/**
 * Before each start of flows Node-RED looks for missing modules: it copies all nodes and takes one after the other from
 * the front of an array, where V8 may move all others. Of 20,000 nodes that is a second or two. Gives it only nodes that
 * may need modules. Has to be called before Node-RED loads its nodes. `nodeRedPath`: folder of the stack.
 */
export function checkFewNodes(nodeRedPath: string): void {
  const modules = externalModules(nodeRedPath)
  const registry = fromStack(nodeRedPath)('@node-red/registry') as Registry
  const properties = new Map<string, string>()
  const subflows = new Set<string>()
  const { register, registerSubflow } = modules
  modules.register = (type, property) => {
    properties.set(type, property)
    register(type, property)
  }
  modules.registerSubflow = (type, subflow) => {
    subflows.add(type)
    registerSubflow(type, subflow)
  }
  const hasModules = (node: Part) => {
    const listed = node[properties.get(node.type) ?? '']
    return Array.isArray(listed) ? listed.length > 0 : Boolean(listed)
  }
  const check = registry.checkFlowDependencies
  registry.checkFlowDependencies = async (flows) =>
    check(flows.filter((node) => subflows.has(node.type) || hasModules(node)))
}

const fromStack = (nodeRedPath: string) => createRequire(join(nodeRedPath, 'node_modules', 'node-red', 'package.json'))

const externalModules = (nodeRedPath: string) =>
  fromStack(nodeRedPath)('@node-red/registry/lib/externalModules.js') as ExternalModules
