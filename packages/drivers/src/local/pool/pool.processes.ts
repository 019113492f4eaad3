import { randomUUID } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StackSpec } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Machine } from '../machine.ts'
import { spawnRuntime, type Waiting } from '../process/spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'
import { createPool, type Pool } from './pool.ts'

interface Printing extends Waiting {
  output: string
}

/** The pool of processes of this machine. */
export interface ProcessPool extends Omit<Pool<Waiting>, 'claim'> {
  /** One for this stack, which prints into `output` from now on; undefined when there is none. */
  claim(stack: StackSpec, output: string): Waiting | undefined
}

/** `folderOf` gives the folder of a stack's Node-RED. */
export function createProcessPool(
  config: Config,
  folderOf: (stack: StackSpec) => string,
  machine: Machine,
): ProcessPool {
  const pool = createPool<Printing>(config, {
    size: config.warmProcesses,
    machine,
    folderOf,
    async make(stack, training) {
      const output = join(config.warmDir, `${randomUUID()}.log`)
      const node = nodeIn(folderOf(stack))
      const { memory } = stack
      const process = await spawnRuntime(config, { label: randomUUID(), memory, node, output, training })
      const end = () => {
        process.end()
        rmSync(output, { force: true })
      }
      return { ...process, output, end }
    },
  })
  if (config.warmProcesses > 0)
    for (const name of readdirSync(config.warmDir)) if (name.endsWith('.log')) rmSync(join(config.warmDir, name))
  return {
    ...pool,
    claim(stack, output) {
      const found = pool.claim(stack)
      if (!found) return undefined
      try {
        renameSync(found.output, output)
      } catch {
        found.end()
        return undefined
      }
      return found
    },
  }
}
