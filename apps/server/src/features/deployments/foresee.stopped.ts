import type { Foreseen } from '@app/contract'
import { type FlowNode, flowsStoppedSentence, modulesOfFunctions } from '../flows/index.ts'
import { instanceJson, type WholeInstance } from '../instances/index.ts'
import { codesOfStopped } from '@app/drivers/judging'

/**
 * Types and modules that keep the flows of an instance from running, and that the new flows use too, as far as `told` does
 * not name them yet. Whether the deployment brings them is not always known.
 */
export function stoppedNow(
  row: WholeInstance,
  flows: string,
  nodes: readonly FlowNode[],
  told: Foreseen[],
): Foreseen[] {
  if (row.flows_stopped === null) return []
  const { missingTypes, missingModules } = instanceJson.flowsStopped(row.flows_stopped, row.id)
  const types = new Set(nodes.map(({ type }) => type))
  const modules = new Set(modulesOfFunctions(flows).map(({ name }) => name))
  const known = new Set(told.flatMap(({ stops, codes = [] }) => (stops ? codes : [])))
  const left = {
    missingTypes: missingTypes.filter((type) => types.has(type) && !known.has(`type:${type}`)),
    missingModules: missingModules.filter(({ module }) => modules.has(module) && !known.has(`module:${module}`)),
  }
  if (left.missingTypes.length + left.missingModules.length === 0) return []
  const kind = left.missingTypes.length > 0 ? 'type' : 'module'
  const sentence = `${flowsStoppedSentence(left)} The new flows need the same.`
  return [{ kind, sentence, stops: true, codes: codesOfStopped(left) }]
}
