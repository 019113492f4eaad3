import type { FlowNode } from '../flows/index.ts'

const named = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)

/** Begins with the sound of a vowel when it is spoken: an inject, an http in, but a udp in. */
const vowel = /^(?:[aeio]|u(?!dp|i)|http|mqtt|html|xml|rbe)/i

/** Its name and type, at the beginning of a sentence. */
export function calls({ type, name, label }: FlowNode): string {
  const own = named(name) ?? named(label)
  return own === undefined ? `${vowel.test(type) ? 'An' : 'A'} ${type} node` : `The ${type} node "${own.slice(0, 60)}"`
}

export const countOf = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** The first few of a list, in words. */
export function listed(words: readonly string[], most = 3): string {
  const rest = words.length - most
  return rest > 0 ? `${words.slice(0, most).join(', ')} and ${rest} more` : words.join(', ')
}

/** As the report of running flows names nodes. */
export function shownNode(node: FlowNode, nodes: readonly FlowNode[]) {
  const home = typeof node.z === 'string' ? nodes.find(({ id }) => id === node.z) : undefined
  const name = named(node.name)
  return {
    id: node.id,
    type: node.type,
    ...(name === undefined ? {} : { name }),
    ...(home ? { tab: { id: home.id, label: named(home.label) ?? named(home.name) ?? home.id } } : {}),
  }
}
