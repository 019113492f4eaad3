/**
 * The circular imports of a graph, one path for each knot of modules that reach each other.
 * Follows Tarjan's strongly connected components.
 */
export function findCycles(next: Map<string, string[]>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  for (const node of next.keys()) if (!order.has(node)) visit(node)
  return cycles

  function visit(node: string) {
    const mine = order.size
    order.set(node, mine)
    let lowest = mine
    stack.push(node)
    for (const to of next.get(node) ?? []) {
      if (!order.has(to)) visit(to)
      if (stack.includes(to)) lowest = Math.min(lowest, low.get(to) ?? order.get(to) ?? lowest)
    }
    low.set(node, lowest)
    if (lowest !== mine) return
    const knot = new Set(stack.splice(stack.indexOf(node)))
    if (knot.size > 1 || next.get(node)?.includes(node)) cycles.push(wayBack(node, knot))
  }

  /** The shortest way from a module through its knot back to itself. */
  function wayBack(start: string, knot: Set<string>): string[] {
    const ways: string[][] = [[start]]
    const seen = new Set<string>()
    for (let way = ways.shift(); way; way = ways.shift()) {
      for (const to of next.get(way.at(-1) ?? start) ?? []) {
        if (to === start) return [...way, start]
        if (!knot.has(to) || seen.has(to)) continue
        seen.add(to)
        ways.push([...way, to])
      }
    }
    return [...knot]
  }
}
