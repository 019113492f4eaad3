import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

interface Manifest {
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

const manifestIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest

/**
 * The packages of the Node-RED that came with the platform, as folders relative to `root`, each with what is nested in
 * it. Undefined if none of this version came with it.
 */
export function findShipped(root: string, version: string): string[] | undefined {
  return shippedVersion(root, 'node-red') === version ? withAllNeeded(root, 'node-red') : undefined
}

/** The package of the nodes for messages between instances, which comes with the platform and the agent. */
export const linkNodesPackage = '@flowfuse/nr-project-nodes'

/** The packages of the nodes for messages, as `findShipped` has those of Node-RED. Undefined if they are not installed. */
export const findLinkNodes = (root: string): string[] | undefined =>
  shippedVersion(root, linkNodesPackage) === undefined ? undefined : withAllNeeded(root, linkNodesPackage)

/** The version of a package that came with the platform; undefined: none did. */
export function shippedVersion(root: string, name: string): string | undefined {
  const folder = join(root, 'node_modules', name)
  return existsSync(join(folder, 'package.json')) ? manifestIn(folder).version : undefined
}

function withAllNeeded(root: string, name: string): string[] {
  const found = new Set([join(root, 'node_modules', name)])
  for (const folder of found) {
    for (const name of neededBy(manifestIn(folder))) {
      const at = locate(root, folder, name)
      if (at) found.add(at)
    }
  }
  const isNested = (path: string) => path.lastIndexOf('/node_modules/') > 0
  return [...found].map((path) => relative(root, path)).filter((path) => !isNested(path))
}

/** Without optional peers: what is there of them was installed for something else, such as development. */
function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Manifest): string[] {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  return [...new Set([...peers, ...Object.keys({ ...optionalDependencies, ...dependencies })])]
}

/** As Node.js looks for it: in each folder node_modules on the way up to `root`. Other systems' packages are missing. */
function locate(root: string, from: string, name: string): string | undefined {
  for (let at = from; at.startsWith(root); at = dirname(at)) {
    const path = join(at, 'node_modules', name)
    if (existsSync(join(path, 'package.json'))) return path
  }
  return undefined
}

/**
 * Copies these packages into `target`, in a process of its own.
 * @throws Error with the code ENOSPC when the disk is full.
 */
export async function copyShipped(root: string, packages: readonly string[], target: string): Promise<void> {
  const args = ['-R', '--reflink=auto', '--parents', '-t', target, '--', ...packages]
  // Its messages are read, so they must not be translated.
  const env = { ...process.env, LC_ALL: 'C' }
  await promisify(execFile)('cp', args, { cwd: root, env }).catch((error: Error & { stderr?: string }) => {
    const isFull = /No space left on device|Disk quota exceeded/.test(error.stderr ?? '')
    throw isFull ? Object.assign(error, { code: 'ENOSPC' }) : error
  })
}
