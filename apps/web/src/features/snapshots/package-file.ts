import type { Snapshot } from '@app/contract'

/** The package.json of a snapshot: what a Node-RED elsewhere installs to run its flows. */
export function packageOf({ id, description, modules = {} }: Snapshot, instance: { safeName: string }): string {
  const file = {
    name: instance.safeName,
    version: `0.0.0-${id}`,
    private: true,
    ...(description ? { description } : {}),
    dependencies: modules,
  }
  return `${JSON.stringify(file, undefined, 2)}\n`
}
