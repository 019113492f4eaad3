import type { NodeRed, RunningNode, SendEvent } from '../stack.ts'

interface HeldMessage {
  at: number
  msg: object
}

/** A node that acts once when flows start, which is not to be lost: what it sends first is delivered. */
const actsOnce = ({ type, once, initialize }: RunningNode['config']) =>
  (type === 'inject' && once === true) || (type === 'function' && typeof initialize === 'string' && initialize !== '')
const isTimer = ({ type, repeat, crontab }: RunningNode['config']) =>
  type === 'inject' && [repeat, crontab].some((value) => typeof value === 'string' && value !== '')

/** Messages of one node that are kept at most; more than fall into any gap. */
const keptMax = 1_000
const hook = 'onSend.flowforge-hold'

/**
 * Holds what nodes send by themselves: messages that belong to no request. What is sent before `release` is dropped:
 * while another version serves, that one handles its own.
 */
export function holdMessages(nodeRed: NodeRed, isAnswering: () => boolean) {
  const first = new Map<string, HeldMessage>()
  const timers = new Map<string, HeldMessage[]>()
  /** Number of messages dropped in each millisecond, since only `release` says from when on nobody handled them. */
  const dropped = new Map<number, number>()
  const drop = (at: number) => void dropped.set(at, (dropped.get(at) ?? 0) + 1)
  const configs = configsOf(nodeRed)

  nodeRed.hooks.add(hook, (given) => {
    if (isAnswering()) return undefined
    for (const { source, msg } of given as SendEvent[]) {
      const held = { at: Date.now(), msg }
      const config = configs(source.node)
      const isFirst = !first.has(source.id)
      if (isFirst && actsOnce(config)) first.set(source.id, held)
      else if (isTimer(config)) {
        const all = timers.get(source.id) ?? []
        all.push(held)
        if (all.length > keptMax) drop(all.shift()!.at)
        timers.set(source.id, all)
      } else drop(held.at)
    }
    return false
  })

  return {
    /**
     * Lets messages pass. Returns what is still to be sent: what acts once, and timers that struck after `since`,
     * which the version before did not handle any more; `dropped` counts what is lost of that time.
     */
    release(since: number): { late: number; dropped: number; deliver(): void } {
      nodeRed.hooks.remove(hook)
      const due = [...timers].flatMap(([id, all]) =>
        all.filter(({ at }) => at >= since).map(({ msg }) => ({ id, msg })),
      )
      const once = [...first].map(([id, { msg }]) => ({ id, msg }))
      const deliver = () => {
        for (const { id, msg } of [...once, ...due]) nodeRed.nodes.getNode(id)?.send(msg)
      }
      const lost = [...dropped].reduce((sum, [at, count]) => (at >= since ? sum + count : sum), 0)
      return { late: due.length, dropped: lost, deliver }
    },
  }
}

/** The properties of a node as they are in the flows. */
function configsOf(nodeRed: NodeRed): (node: RunningNode) => RunningNode['config'] {
  let known: Map<string, RunningNode['config']> | undefined
  return (node) => {
    if (!known) {
      known = new Map()
      nodeRed.nodes.eachNode((config) => known!.set(config.id, config))
    }
    // In an instance of a subflow a node has another id than in its definition.
    return known.get(node._alias ?? node.id) ?? { id: node.id, type: node.type }
  }
}
