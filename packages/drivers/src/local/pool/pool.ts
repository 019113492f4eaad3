import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { StackSpec } from '../../driver.ts'
import type { Config } from '../config.ts'
import type { Machine } from '../machine.ts'
import { createDemand, isSameStack } from './pool.demand.ts'
import { conditionsOf, train, trainingOf } from './training.ts'

/** Between two looks at what waits, without an occasion. */
const checkMs = 300_000
/** Between two looks whether the machine is idle, and how often; a machine that always works gets its pool in the end. */
const idleCheckMs = 500
const idleChecks = 20
const readyMs = 30_000

/** A process that has no specification yet. */
export interface Warm {
  /** Has loaded what its training says. */
  ready: Promise<void>
  isAlive(): boolean
  /** Ends it. Only before the specification was sent. */
  end(): void
}

interface Member<Kind extends Warm> {
  stack: StackSpec
  process: Kind
  isReady: boolean
  /** Under which its training was made. */
  conditions: string | undefined
}

/**
 * Processes that wait for an instance with the modules of its stack loaded. They belong to nobody and never ran
 * anything: an instance's files, secrets and settings reach one only when it is claimed, once. They end with this process.
 */
export interface Pool<Kind extends Warm> {
  /** One for this stack; undefined when there is none. */
  claim(stack: StackSpec): Kind | undefined
  /** Instances of this stack may be wanted before the first was seen. */
  expect(stack: StackSpec): void
  /** Numbers of processes that wait with everything loaded and that are wanted. */
  filled(): { waiting: number; wanted: number }
  /** Ends all that wait. */
  close(): void
}

export interface PoolOptions<Kind extends Warm> {
  size: number
  machine: Machine
  /** Gives the folder of a stack's Node-RED. */
  folderOf(stack: StackSpec): string
  /** Starts one, which is to load what the training in this file says. */
  make(stack: StackSpec, training: string): Promise<Kind>
}

export function createPool<Kind extends Warm>(
  config: Config,
  { size, machine, folderOf, make }: PoolOptions<Kind>,
): Pool<Kind> {
  if (size === 0)
    return { claim: () => undefined, expect: () => {}, filled: () => ({ waiting: 0, wanted: 0 }), close: () => {} }
  mkdirSync(config.warmDir, { recursive: true, mode: 0o700 })
  const demand = createDemand(join(config.warmDir, 'demand.json'), size)
  const failed = new Set<string | undefined>()
  let members: Member<Kind>[] = []
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

  function drop(unwanted: (member: Member<Kind>) => boolean): void {
    const gone = members.filter(unwanted)
    members = members.filter((member) => !gone.includes(member))
    for (const member of gone) member.process.end()
  }

  const isStale = ({ stack, process: { isAlive }, conditions }: Member<Kind>) =>
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
    try {
      const process = await make(stack, trainingOf(config, folder) ?? (await train(config, folder)))
      if (closed) return process.end()
      const member = { stack, process, isReady: false, conditions }
      members.push(member)
      member.isReady = await isReady(process)
      if (!members.includes(member) || (member.isReady && process.isAlive())) return
      drop((one) => one === member)
    } catch {
      // Nothing to end: there is no process.
    }
    // It would most likely fail again at once. Instances of this stack start without the pool.
    failed.add(conditions)
  }

  return {
    claim(stack) {
      demand.note(stack)
      fillLater()
      drop(isStale)
      const member = members.find((one) => isSameStack(one.stack, stack))
      members = members.filter((one) => one !== member)
      return member?.process
    },
    expect(stack) {
      demand.expect(stack)
      fillLater()
    },
    filled: () => ({
      waiting: members.filter((member) => member.isReady && !isStale(member)).length,
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

async function isReady(process: Warm): Promise<boolean> {
  const tooLong = new AbortController()
  const late = delay(readyMs, false, { ref: false, signal: tooLong.signal }).catch(() => false)
  return Promise.race([process.ready.then(() => true), late]).finally(() => tooLong.abort())
}
