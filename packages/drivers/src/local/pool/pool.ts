import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StackSpec } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Machine } from '../machine.ts'
import { createDemand, isSameStack } from './pool.demand.ts'
import { spawnRuntime, type Waiting } from '../process/spawn.ts'
import { nodeIn } from '../stacks/stack.node.ts'
import { conditionsOf, train, trainingOf } from './training.ts'

/** Between two looks at what waits, without an occasion. */
const checkMs = 300_000
/** Between two looks whether the machine is idle, and how often; a machine that always works gets its pool in the end. */
const idleCheckMs = 500
const idleChecks = 20
const readyMs = 30_000

interface Member {
  stack: StackSpec
  process: Waiting
  output: string
  /** Under which its training was made. */
  conditions: string | undefined
}

/**
 * Processes that wait for an instance with the modules of its stack loaded. They belong to nobody and never ran
 * anything: an instance's files, secrets and settings reach one only when it is claimed, once. They end with this process.
 */
export interface Pool {
  /** One for this stack, which prints into `output` from now on; undefined when there is none. */
  claim(stack: StackSpec, output: string): Waiting | undefined
  /** Instances of this stack may be wanted before the first was seen. */
  expect(stack: StackSpec): void
  /** How many wait, and how many are wanted. */
  filled(): { waiting: number; wanted: number }
  /** Ends all that wait. */
  close(): void
}

/** `folderOf` gives the folder of a stack's Node-RED. */
export function createPool(config: Config, folderOf: (stack: StackSpec) => string, machine: Machine): Pool {
  if (config.warmProcesses === 0)
    return { claim: () => undefined, expect: () => {}, filled: () => ({ waiting: 0, wanted: 0 }), close: () => {} }
  mkdirSync(config.warmDir, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(config.warmDir)) if (name.endsWith('.log')) rmSync(join(config.warmDir, name))
  const demand = createDemand(join(config.warmDir, 'demand.json'), config.warmProcesses)
  const failed = new Set<string | undefined>()
  let members: Member[] = []
  let filling = false
  let closed = false
  let timer = setTimeout(() => {}, 0)
  const regular = setInterval(() => {
    failed.clear()
    void fill()
  }, checkMs).unref()
  fillLater()

  function fillLater(): void {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(() => void fill(), machine.settleMs).unref()
  }

  function drop(unwanted: (member: Member) => boolean): void {
    const gone = members.filter(unwanted)
    members = members.filter((member) => !gone.includes(member))
    for (const member of gone) {
      member.process.end()
      rmSync(member.output, { force: true })
    }
  }

  const isStale = ({ stack, process: { isAlive }, conditions }: Member) =>
    !isAlive() || conditions !== conditionsOf(config, folderOf(stack))

  /** The missing stacks of the pool; ends processes that are no longer wanted. */
  function missing(): StackSpec[] {
    drop(isStale)
    const spare = [...members]
    const wanted = demand.wanted().filter((stack) => {
      const found = spare.findIndex((member) => isSameStack(member.stack, stack))
      if (found >= 0) spare.splice(found, 1)
      return found < 0
    })
    drop((member) => spare.includes(member))
    return wanted.filter((stack) => {
      const conditions = conditionsOf(config, folderOf(stack))
      return conditions !== undefined && !failed.has(conditions)
    })
  }

  async function fill(): Promise<void> {
    if (filling) return
    filling = true
    try {
      for (let checks = 0; !closed; checks += 1) {
        if (!machine.hasRoom()) return drop(() => true)
        const [next] = missing()
        if (!next) return
        if (checks < idleChecks && !(await machine.isIdle())) {
          await delay(idleCheckMs, undefined, { ref: false })
          continue
        }
        await add(next)
        checks = 0
      }
    } finally {
      filling = false
    }
  }

  async function add(stack: StackSpec): Promise<void> {
    const folder = folderOf(stack)
    const conditions = conditionsOf(config, folder)
    const output = join(config.warmDir, `${randomUUID()}.log`)
    try {
      const training = trainingOf(config, folder) ?? (await train(config, folder))
      const process = await spawnRuntime(config, {
        label: randomUUID(),
        memory: stack.memory,
        node: nodeIn(folder),
        output,
        training,
      })
      if (closed) return process.end()
      const member = { stack, process, output, conditions }
      members.push(member)
      const ready = await isReady(process)
      if (!members.includes(member) || (ready && process.isAlive())) return
      drop((one) => one === member)
    } catch {
      // Nothing to end: there is no process.
    }
    // It would most likely fail again at once. Instances of this stack start without the pool.
    failed.add(conditions)
  }

  return {
    claim(stack, output) {
      demand.note(stack)
      fillLater()
      drop(isStale)
      const member = members.find((one) => isSameStack(one.stack, stack))
      if (!member) return undefined
      try {
        renameSync(member.output, output)
      } catch {
        drop((one) => one === member)
        return undefined
      }
      members = members.filter((one) => one !== member)
      return member.process
    },
    expect(stack) {
      demand.expect(stack)
      fillLater()
    },
    filled: () => ({
      waiting: members.filter((member) => !isStale(member)).length,
      wanted: demand.wanted().length,
    }),
    close() {
      closed = true
      clearTimeout(timer)
      clearInterval(regular)
      drop(() => true)
    },
  }
}

async function isReady(process: Waiting): Promise<boolean> {
  const tooLong = new AbortController()
  const late = delay(readyMs, false, { ref: false, signal: tooLong.signal }).catch(() => false)
  return Promise.race([process.ready.then(() => true), late]).finally(() => tooLong.abort())
}
