/** Number of nodes by kind of change; `moved` is absent in old records, which count those as changed. */
export type NodeCounts = { added: number; changed: number; moved?: number | undefined; removed: number }

const kinds = ['moved', 'changed', 'added', 'removed'] as const

/** "253 moved, 5 changed"; what is zero is left out. */
export const nodeCountsText = (counts: NodeCounts): string =>
  kinds
    .filter((kind) => (counts[kind] ?? 0) > 0)
    .map((kind) => `${counts[kind]!.toLocaleString()} ${kind}`)
    .join(', ')
