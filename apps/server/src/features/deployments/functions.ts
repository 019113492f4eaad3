import type { Driver } from '@app/drivers'
import type { Db } from '../../platform/db/tables.ts'
import { modulesOfFunctions, readStorage, settingsForFunctions, type WholeInstance } from '../instances/index.ts'
import type { Brought } from './deployments.kinds.ts'
import { standing } from './deployments.standing.ts'

/**
 * What is brought, with the modules on its list that its functions use: they are fetched with all others then, in
 * versions that stay, and not by Node-RED while it starts.
 */
export async function withFunctionModules(
  { driver, read }: { driver: Driver; read: Db },
  row: WholeInstance,
  brings: Brought,
): Promise<Brought> {
  const { flows, settings } = brings.held
  // Other settings under the same flows may come without them, as those of an old snapshot do.
  if (flows === undefined && settings === undefined) return brings
  const text = flows ?? (await readStorage(read, row.id, 'flows'))
  const names = modulesOfFunctions(text).map(({ name }) => name)
  if (names.length === 0) return brings
  const next = settingsForFunctions(standing(row, brings), text, await driver.installedModules(row.id, names))
  return next ? { ...brings, held: { ...brings.held, settings: JSON.stringify(next) } } : brings
}
