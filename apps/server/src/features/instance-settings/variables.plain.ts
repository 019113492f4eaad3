import { variableContext } from './variables.context.ts'
import type { EnvEntry } from '@app/contract'
import type { Vault } from '../../platform/crypto.ts'
import { ownSettings, templateVariableContext } from '../catalogue/index.ts'
import type { WholeInstance } from '../instances/index.ts'
import { effectiveSettings, platformVariables } from './settings.view.ts'

/** The variables of an instance as Node-RED gets them, by name: those of its template, its own, those of the platform. */
export function plainVariables(vault: Vault, row: WholeInstance): Record<string, string> {
  const { env = [] } = effectiveSettings(row)
  const { env: own = [] } = ownSettings(row)
  /** A secret is sealed where it was written: in the settings of the instance, or in its template. */
  const plain = ({ name, value, encrypted }: EnvEntry): string => {
    if (!encrypted) return value
    const isOwn = own.some((one) => one.name === name && one.value === value)
    return vault.open(value, isOwn ? variableContext(row.id, name) : templateVariableContext(row.template_id, name))
  }
  return Object.fromEntries([...env, ...platformVariables(row)].map((entry) => [entry.name, plain(entry)]))
}
