import type { Deployment, DeploymentChanges } from '@app/contract'
import { formatExact } from '../../lib/dates.ts'
import { nodeCountsText } from '../../lib/node-counts.ts'
import { plural } from '../../lib/plural.ts'

/** Describes a deployment in a few words. */
export function titleOf({ kind, what }: Pick<Deployment, 'kind' | 'what'>): string {
  switch (kind) {
    case 'rollback':
      return `Rollback to “${what}”`
    case 'import':
      return 'Import of files'
    case 'restore':
      return `Restore of the version of ${formatExact(what)}`
    case 'stack':
      return `Change to ${what}`
    case 'push':
      return `Push from “${what}”`
    case 'duplicate':
      return `Duplicate of “${what}”`
  }
}

/** Returns the changes of a deployment, part by part; empty for none. */
export function changesText({ nodes, modules, env, settings, stack }: DeploymentChanges): string[] {
  const counts = nodeCountsText(nodes)
  return [
    ...(counts === '' ? [] : [`Nodes: ${counts}`]),
    ...(modules.length > 0 ? [plural(modules.length, 'module')] : []),
    ...(env.length > 0 ? [plural(env.length, 'variable')] : []),
    ...(settings.length > 0 ? [plural(settings.length, 'setting')] : []),
    ...(stack ? [`${stack.old} → ${stack.new}`] : []),
  ]
}
