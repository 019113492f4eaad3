import type { Driver } from '@app/drivers'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Tx } from '../../platform/db/tables.ts'
import type { StoredSettings } from '../catalogue/index.ts'
import { findWhole, type WholeInstance } from './instances.lists.store.ts'
import { lockInstance, updateInstance } from './instances.store.ts'
import { namesToFind, settingsAsInstalled } from '../modules/index.ts'
import { readStorage } from '../storage/index.ts'

interface MemoryDependencies {
  database: Database
  clock: Clock
  driver: Driver
}

/** Changes the own settings of an instance; a person may be changing other settings meanwhile. */
export async function changeSettings(
  { database, clock }: Pick<MemoryDependencies, 'database' | 'clock'>,
  tx: Tx,
  id: string,
  change: (row: WholeInstance) => StoredSettings | undefined,
): Promise<void> {
  const locked = await lockInstance(tx, id, database.kind === 'postgres')
  const row = locked && (await findWhole(tx, id))
  const settings = row && change(row)
  if (settings) await updateInstance(tx, id, { settings: JSON.stringify(settings), updated_at: clock.now() })
}

/**
 * Reads the modules in an instance's folder, and returns the change that adds them to its settings. Costs one query
 * where all are listed.
 */
async function lookingAt({ database, driver }: Omit<MemoryDependencies, 'clock'>, row: WholeInstance, known?: string) {
  const flows = known ?? (await readStorage(database.read, row.id, 'flows'))
  const names = namesToFind(row, flows)
  const installed = names.length === 0 ? {} : await driver.installedModules(row.id, names)
  return (now: WholeInstance) => settingsAsInstalled(now, flows, installed)
}

/**
 * The instance with what lies in its folder on its list: the versions that the list leaves open, and modules of
 * functions that Node-RED has installed without telling. `flows` where they were read already.
 */
export async function asInstalled(
  deps: Omit<MemoryDependencies, 'clock'>,
  row: WholeInstance,
  flows?: string,
): Promise<WholeInstance> {
  const settings = (await lookingAt(deps, row, flows))(row)
  return settings ? { ...row, settings: JSON.stringify(settings) } : row
}

/** Keeps that list, after a start. */
export async function rememberInstalled(deps: MemoryDependencies, row: WholeInstance): Promise<void> {
  const change = await lookingAt(deps, row)
  if (change(row)) await deps.database.transact((tx) => changeSettings(deps, tx, row.id, change))
}
