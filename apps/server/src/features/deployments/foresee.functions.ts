import type { Foreseen } from '@app/contract'
import { enabledParts } from '@app/contract/flows-enabled'
import { Script } from 'node:vm'
import type { FlowNode } from '../flows/index.ts'
import { calls, shownNode } from './foresee.words.ts'

/** Where a function has code, and the arguments it gets there, as Node-RED wraps it. */
const parts = [
  { key: 'func', where: '', head: '(async function(msg,__send__,__done__){' },
  { key: 'initialize', where: ' in its setup', head: '(async function(__send__){' },
  { key: 'finalize', where: ' in its close code', head: '(function(){' },
] as const

/**
 * Functions whose code does not parse, and was not so before. It is compiled, and never run. Where the flows start, the
 * start shows it; else (`isStarted` false) somebody has to accept it.
 */
export function faultsOfCode(nodes: readonly FlowNode[], before: readonly FlowNode[], isStarted = true): Foreseen[] {
  const old = new Map(before.map((node) => [node.id, node]))
  return enabledParts(nodes).flatMap((node): Foreseen[] => {
    if (node.type !== 'function') return []
    for (const { key, where, head } of parts) {
      const code = node[key]
      if (typeof code !== 'string' || code.trim() === '' || old.get(node.id)?.[key] === code) continue
      const fault = faultOf(head, code)
      if (fault === undefined) continue
      return [
        {
          kind: 'function',
          sentence: `${calls(node)} does not parse${where}: ${fault}.`,
          ...(isStarted ? {} : { stops: true, codes: [`function:${node.id}`] }),
          node: shownNode(node, nodes),
        },
      ]
    }
    return []
  })
}

/** Is it a function with code that does not parse? */
export const failsToParse = (node: FlowNode): boolean =>
  node.type === 'function' &&
  parts.some(({ key, head }) => typeof node[key] === 'string' && faultOf(head, node[key]) !== undefined)

function faultOf(head: string, code: string): string | undefined {
  try {
    new Script(`${head}\n${code}\n})`, { filename: 'function' })
    return undefined
  } catch (error) {
    const { message, stack = '' } = error as Error
    // Where the fault is only found behind the code, it is in its last line.
    const line = Math.min(Number(/^function:(\d+)/.exec(stack)?.[1]) - 1, code.split('\n').length)
    return line > 0 ? `${message} (line ${line})` : message
  }
}
