import type { WholeInstance } from '../instances/index.ts'
import type { Brought } from './deployments.kinds.ts'

/** The instance as it will be. */
export function standing(row: WholeInstance, { held, ground }: Brought): WholeInstance {
  return {
    ...row,
    settings: held.settings ?? row.settings,
    stack_properties: ground?.properties ?? row.stack_properties,
  }
}
