import {
  type LifecycleDependencies,
  countTemplateChange,
  findInstance,
  type InstanceRow,
  listUnprotected,
  lockInstance,
  updateInstance,
  instanceEvent,
  isUnprotected,
} from '../instances/index.ts'
import type { Tx } from '../../platform/db/tables.ts'

export type Protection = ReturnType<typeof createProtection>

/**
 * Brings the protection of the addresses of flows into running processes. From the moment a change is saved until they
 * enforce it the proxy lets nobody in, so whatever fails here leaves the instance closed.
 */
export function createProtection({
  database,
  bus,
  clock,
  log,
  driver,
  traffic,
}: Omit<LifecycleDependencies, 'protection'>) {
  const isUp = ({ observed }: Pick<InstanceRow, 'observed'>) => observed === 'running' || observed === 'safe'

  async function enforce(id: string): Promise<void> {
    const row = await findInstance(database.read, id)
    // A stopped instance reads its settings when it starts.
    if (!row || !isUnprotected(row) || !isUp(row)) return
    try {
      await driver.protect(id)
    } catch (error) {
      log.warn({ err: error, instance: id }, 'the protection is not in force; the instance stays closed')
      // Visitors let in before would stay connected.
      traffic.cut(id)
      return
    }
    await database.transact(async (tx) => {
      const now = await lockInstance(tx, id, database.kind === 'postgres')
      // It was replaced by another process meanwhile, which is judged by itself.
      if (!now || now.last_start_at !== row.last_start_at || now.access_running >= row.access_revision) return
      const changed = await updateInstance(tx, id, { access_running: row.access_revision })
      if (changed) await bus.publish(tx, instanceEvent(changed, clock.now()))
    })
  }

  /** The same for all that need it, one after the other. */
  async function enforceAll(): Promise<void> {
    for (const id of await listUnprotected(database.read)) await enforce(id)
  }

  const inBackground = (work: Promise<void>) =>
    void work.catch((error: unknown) => log.error({ err: error }, 'a protection could not be applied'))

  return {
    /** Nobody is let in until the processes have it, so nobody need wait for them. */
    enforce: (id: string): void => inBackground(enforce(id)),
    enforceAll: (): void => inBackground(enforceAll()),

    /** Counts a change of a template for its instances. */
    async templateChanged(tx: Tx, id: string, { access }: { access: boolean }): Promise<void> {
      const rows = await countTemplateChange(tx, id, access)
      for (const row of rows) if (isUp(row)) await bus.publish(tx, instanceEvent(row, clock.now()))
    },
  }
}
