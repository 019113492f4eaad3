import { readFileSync, writeFileSync } from 'node:fs'
import * as z from 'zod/mini'
import type { StackSpec } from '../../driver.ts'

const Stacks = z.array(z.object({ nodered: z.string(), memory: z.number(), nodejs: z.optional(z.string()) }))

const plain = ({ nodered, memory, nodejs }: StackSpec): StackSpec =>
  nodejs === undefined ? { nodered, memory } : { nodered, memory, nodejs }

export const isSameStack = (a: StackSpec, b: StackSpec) =>
  a.nodered === b.nodered && a.memory === b.memory && a.nodejs === b.nodejs

/**
 * Which stacks will be started next: those that were last. A pool of `size` holds one process for each of the last
 * `size` starts, which shares it between the stacks as people use them. Kept in `file` over restarts.
 */
export function createDemand(file: string, size: number) {
  let last = read(file).slice(0, size)

  function keep(stacks: StackSpec[]): void {
    const before = JSON.stringify(last)
    last = stacks.slice(0, size)
    if (JSON.stringify(last) === before) return
    try {
      writeFileSync(file, JSON.stringify(last), { mode: 0o600 })
    } catch {
      // A full disk must not keep instances from starting.
    }
  }

  return {
    /** A start, just now. */
    note(stack: StackSpec): void {
      keep([plain(stack), ...last])
    },
    /** Counts as long as nothing is known of starts. */
    expect(stack: StackSpec): void {
      if (last.length === 0) keep([plain(stack)])
    },
    /** As many as the pool holds; what is not known yet is taken to go on as the last one. */
    wanted(): StackSpec[] {
      const [latest] = last
      return latest ? Array.from({ length: size }, (_, at) => last[at] ?? latest) : []
    },
  }
}

function read(file: string): StackSpec[] {
  try {
    return Stacks.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // Not there yet, or cut off: the next starts tell.
    return []
  }
}
