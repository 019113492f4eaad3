import type { Tx } from '../../platform/db/tables.ts'
import { updateInstance, type WholeInstance } from '../instances/index.ts'
import type { Held, Snapshots } from '../snapshots/index.ts'
import type { Brought } from './deployments.kinds.ts'

/** Reads what an instance holds, and puts something else in its place. */
export function createContents(snapshots: Snapshots) {
  return {
    /** The instance's own parts that the deployment replaces. */
    async inPlaceOf(row: WholeInstance, { held, ground }: Brought): Promise<Brought> {
      const now = await snapshots.held(row)
      const names = Object.keys(held) as (keyof Held)[]
      const label = row.stack_label || row.stack_name
      const own = { type_id: row.type_id, stack_id: row.stack_id, properties: row.stack_properties, label }
      return {
        held: Object.fromEntries(names.map((name) => [name, now[name]])),
        ...(ground ? { ground: own } : {}),
      }
    },

    /** Makes contents ready; what is returned puts them in the place of what the instance holds. */
    async putting(id: string, { held, ground }: Brought, origin: Parameters<Snapshots['replacement']>[2]) {
      const put = await snapshots.replacement(id, held, origin)
      return async (tx: Tx): Promise<void> => {
        if (ground) await updateInstance(tx, id, { type_id: ground.type_id, stack_id: ground.stack_id })
        await put(tx)
      }
    },
  }
}
