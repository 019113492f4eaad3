import type { Foreseen } from '@app/contract'
import { enabledParts } from '@app/contract/flows-enabled'
import type { Driver } from '@app/drivers'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { plainVariables } from '../instance-settings/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { FlowNode } from '../flows/index.ts'
import { othersRunning } from './foresee.store.ts'
import { calls, shownNode } from './foresee.words.ts'

interface ListenersDependencies {
  driver: Driver
  vault: Vault
  database: Database
}

/** Nodes that listen on a port of their own, by the property that has it. */
const listening: Record<string, (node: FlowNode) => readonly [string, unknown] | undefined> = {
  'tcp in': ({ server, port }) => (server === 'server' ? ['tcp', port] : undefined),
  'tcp out': ({ beserver, port }) => (beserver === 'server' ? ['tcp', port] : undefined),
  'udp in': ({ port }) => ['udp', port],
  'aedes broker': ({ mqtt_port: port }) => ['tcp', port],
  'modbus-server': ({ serverPort }) => ['tcp', serverPort],
}
const reference = /^\$\{([^}\s]+)\}$/

/** A value as its node gets it: those that the flows define themselves win over those of the instance. */
function resolved(node: FlowNode, value: unknown, nodes: readonly FlowNode[], variables: Record<string, string>) {
  const [, name] = typeof value === 'string' ? (reference.exec(value) ?? []) : []
  if (name === undefined) return value
  const homes = nodes.filter(({ id, type }) => id === node.z || type === 'global-config')
  for (const { env } of homes) {
    const own = (Array.isArray(env) ? (env as ({ name?: unknown; value?: unknown } | null)[]) : []).find(
      (one) => one?.name === name,
    )
    if (own) return own.value
  }
  return variables[name]
}

/** The ports that flows listen on, as processes tell of them: `tcp 1880`. */
function listeners(nodes: readonly FlowNode[], variables: Record<string, string>): Map<string, FlowNode> {
  const found = new Map<string, FlowNode>()
  for (const node of enabledParts(nodes)) {
    const [kind, value] = listening[node.type]?.(node) ?? []
    const port = Number(resolved(node, value, nodes, variables))
    const name = `${kind} ${port}`
    if (kind !== undefined && Number.isInteger(port) && port > 0 && !found.has(name)) found.set(name, node)
  }
  return found
}

/**
 * Ports that the flows listen on and that another instance of this machine holds. Which one is not told: it may be that
 * of another team.
 */
export async function takenPorts(
  { driver, vault, database }: ListenersDependencies,
  after: WholeInstance,
  nodes: readonly FlowNode[],
): Promise<Foreseen[]> {
  const { pair } = driver
  if (!pair || !nodes.some(({ type }) => Object.hasOwn(listening, type))) return []
  const wanted = listeners(nodes, plainVariables(vault, after))
  if (wanted.size === 0) return []
  const held = async (id: string) => {
    const opens = await Promise.all(
      pair.serving(id).map(async ({ slot }) => pair.opens(id, slot).catch(() => undefined)),
    )
    return opens.flatMap((one) => one?.listens ?? [])
  }
  const own = new Set(await held(after.id))
  if ([...wanted.keys()].every((name) => own.has(name))) return []
  const others = await othersRunning(database.read, after.id)
  const taken = new Set((await Promise.all(others.map(held))).flat())
  return [...wanted].flatMap(([name, node]): Foreseen[] => {
    if (own.has(name) || !taken.has(name)) return []
    const port = name.replace(/^\w+/, (kind) => `${kind.toUpperCase()} port`)
    const sentence = `Another instance on this machine listens on ${port}. ${calls(node)} cannot.`
    return [{ kind: 'listener', sentence, node: shownNode(node, nodes) }]
  })
}
