import type { FlowsStopped } from '@app/contract'

/** The words of Node-RED, and of the process around it, for why no flow runs. */
const words: Record<string, string> = {
  'subflow-in-itself': 'a subflow contains itself, and Node-RED would run out of memory',
  'too-many-nodes': 'their subflows have too many instances, and Node-RED would run out of memory',
  'group-in-no-group': 'a group is in itself or in a group that is not there, and Node-RED would hang',
  'safe-mode': 'Node-RED was started in safe mode',
  stopped: 'they were stopped',
}
const namedMost = 5

/** Why flows do not run although Node-RED does, in a sentence that names every type and module. */
export function flowsStoppedSentence({ missingTypes, missingModules, reason }: FlowsStopped): string {
  const why = [
    ...(missingTypes.length > 0 ? [missing('node type', missingTypes)] : []),
    ...(missingModules.length > 0 ? [missing('module', missingModules.map(withError))] : []),
  ]
  const other = reason === undefined ? undefined : (words[reason] ?? `Node-RED says ${reason}`)
  return `Its flows do not run: ${why.length > 0 ? why.join(', and ') : (other ?? 'Node-RED does not say why')}.`
}

const withError = ({ module, error }: FlowsStopped['missingModules'][number]) =>
  error === '' ? module : `${module} (${error === '404' ? 'not found' : error})`

function missing(what: string, names: readonly string[]): string {
  const shown = names.slice(0, namedMost)
  const rest = names.length - shown.length
  const list = [...shown, ...(rest > 0 ? [`${rest} more`] : [])]
  if (list.length === 1) return `${what} ${list[0]} is missing`
  return `${what}s ${list.slice(0, -1).join(', ')} and ${list.at(-1)} are missing`
}
