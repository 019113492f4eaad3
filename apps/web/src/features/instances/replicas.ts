import type { Instance } from '@app/contract'

/** Number of running processes of an instance with several. */
export const runningReplicas = ({ replicas = [] }: Instance['meta']): number =>
  replicas.filter(({ state }) => state === 'running').length
