import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** The cgroup controllers the driver uses. */
export type Controller = 'memory' | 'pids' | 'cpu' | 'kill'
type Named = Exclude<Controller, 'kill'>

/** Controllers that limit every instance. */
export const always: readonly Named[] = ['memory', 'pids']

/** A hierarchy of groups: version 2 has all controllers in one, version 1 has one for each. */
export interface Hierarchy {
  version: 1 | 2
  controllers: Controller[]
  /** Folder of the group that holds groups of ours. */
  parent: string
}

interface Mount {
  type: string
  root: string
  path: string
  options: string[]
}

/** Reads where this process may find groups with the `wanted` controllers. `proc` is its folder under /proc. */
export function findHierarchies(proc = '/proc/self', wanted = always): Hierarchy[] {
  const own = ownGroups(read(join(proc, 'cgroup')))
  return mounts(read(join(proc, 'mountinfo'))).flatMap((mount) => {
    const version = mount.type === 'cgroup2' ? 2 : 1
    const named = wanted.filter((name) => mount.options.includes(name))
    const group = own.get(version === 2 ? '' : (named[0] ?? 'none'))
    if (group === undefined || !group.startsWith(mount.root)) return []
    const path = resolve(join(mount.path, group.slice(mount.root === '/' ? 0 : mount.root.length)))
    return [version === 2 ? second(mount.path, path, wanted) : { version, controllers: named, parent: path }]
  })
}

/**
 * In version 2 a group with processes has no groups with controllers below it, so ours lie beside the one of the
 * platform. That also keeps them alive when a service manager ends the group of the platform.
 */
function second(mount: string, own: string, wanted: readonly Named[]): Hierarchy {
  const parent = own === mount ? mount : dirname(own)
  const offered = read(join(parent, 'cgroup.controllers')).trim().split(' ')
  const controllers: Controller[] = wanted.filter((name) => offered.includes(name))
  return { version: 2, parent, controllers: [...controllers, 'kill'] }
}

/** Path of this process in each hierarchy, by controller; the second version's has an empty name. */
function ownGroups(text: string): Map<string, string> {
  return new Map(
    text
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [, names = '', ...path] = line.split(':')
        return names.split(',').map((name) => [name, path.join(':')] as const)
      }),
  )
}

function mounts(text: string): Mount[] {
  return text
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const [, , , root = '/', path = ''] = before.split(' ')
      const [type = '', , options = ''] = after.split(' ')
      return type.startsWith('cgroup') && existsSync(path) ? [{ type, root, path, options: options.split(',') }] : []
    })
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
