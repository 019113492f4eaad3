/** A node as Node-RED writes it. */
export type FlowNode = Record<string, unknown> & { id: string; type: string }

/**
 * The nodes in flows as they are kept. What is none is left out, since flows also come from files and from whatever
 * wrote them through Node-RED.
 */
export function nodesIn(flows: string): FlowNode[] {
  const list = JSON.parse(flows) as unknown
  const isNode = (one: unknown): one is FlowNode => {
    const { id, type } = (one ?? {}) as Partial<FlowNode>
    return typeof id === 'string' && typeof type === 'string'
  }
  return Array.isArray(list) ? list.filter(isNode) : []
}
