import fs, { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * While it starts, Node-RED reads the description of each of the 400 packages it was installed with, and of all that
 * lie above it on the disk, to find nodes among them. It brings none that way, and what others put there is not for
 * instances, so these folders look empty until the returned function is called. `nodeRedPath`: folder of the stack.
 */
export function hidePackages(nodeRedPath: string): () => void {
  const original = fs.readdirSync
  // Node-RED knows itself by the path behind symbolic links.
  const hidden = new Set(foldersAbove(join(realpathSync(nodeRedPath), 'node_modules', '@node-red', 'nodes')))
  fs.readdirSync = ((path: fs.PathLike, ...rest: []) =>
    hidden.has(String(path)) ? [] : original(path, ...rest)) as typeof fs.readdirSync
  return () => {
    fs.readdirSync = original
  }
}

function foldersAbove(path: string): string[] {
  const here = join(path, 'node_modules')
  return path === dirname(path) ? [here] : [here, ...foldersAbove(dirname(path))]
}
