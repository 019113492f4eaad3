import type { Driver } from '@app/drivers'
import { ownSettings } from '../catalogue/index.ts'
import type { Db } from '../../platform/db/tables.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { modulesOfFunctions } from '../flows/index.ts'
import { readStorage } from '../storage/index.ts'
import { settingsForFunctions } from '../modules/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import type { Brought } from './deployments.kinds.ts'
import { standing } from './deployments.standing.ts'

/**
 * The new parts with the modules that are to be installed too, and those that its functions use: all are downloaded
 * together, in versions that stay, and not by Node-RED while it starts.
 */
export async function withModules(
  { driver, read }: { driver: Driver; read: Db },
  row: WholeInstance,
  brings: Brought,
): Promise<Brought> {
  const brought = withInstalled(row, brings)
  const { flows, settings } = brought.held
  // Other settings under the same flows may come without them, as those of an old snapshot do.
  if (flows === undefined && settings === undefined) return brought
  const text = flows ?? (await readStorage(read, row.id, 'flows'))
  const names = modulesOfFunctions(text).map(({ name }) => name)
  if (names.length === 0) return brought
  const next = settingsForFunctions(standing(row, brought), text, await driver.installedModules(row.id, names))
  return next ? { ...brought, held: { ...brought.held, settings: JSON.stringify(next) } } : brought
}

/** Modules already on the list keep their version. */
function withInstalled(row: WholeInstance, brings: Brought): Brought {
  const { install = [], held } = brings
  const after = standing(row, brings)
  const listed = effectiveSettings(after).palette?.modules ?? []
  const added = install.filter(({ name }) => !listed.some((one) => one.name === name))
  if (added.length === 0) return brings
  const own = ownSettings(after)
  const modules = [...listed, ...added.map((one) => ({ ...one, local: true }))]
  return { ...brings, held: { ...held, settings: JSON.stringify({ ...own, palette: { ...own.palette, modules } }) } }
}
