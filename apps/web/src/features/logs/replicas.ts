import type { Instance, LogEntry } from '@app/contract'

const noReplicas: string[] = []

/** The ids of the processes that are known of now. */
export const replicasOf = ({ replicas }: Instance['meta']): string[] => replicas?.map(({ id }) => id) ?? noReplicas

/** The processes whose lines can be chosen: those of now, and those that wrote lines in this log. */
export const choicesOf = (known: readonly string[], lines: readonly LogEntry[]): string[] => [
  ...new Set([...known, ...lines.flatMap(({ src }) => src ?? [])]),
]
