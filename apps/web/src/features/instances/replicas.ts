import type { Instance, LogEntry } from '@app/contract'

const noReplicas: string[] = []

/** The ids of the processes that are known of now. */
export const replicasOf = ({ replicas }: Instance['meta']): string[] => replicas?.map(({ id }) => id) ?? noReplicas

/** Whose lines one can choose: the processes of now, and whoever wrote lines that are there. */
export const choicesOf = (known: readonly string[], lines: readonly LogEntry[]): string[] => [
  ...new Set([...known, ...lines.flatMap(({ src }) => src ?? [])]),
]
