import { nodesIn } from '../flows/index.ts'
import type { TakeoverPlan } from '@app/contract'
import type { Driver } from '@app/drivers'
import type { Lifecycle, WholeInstance } from '../instances/index.ts'
import { type Snapshots } from '../snapshots/index.ts'
import { planOf, takeoverOf } from '@app/drivers/judging'

interface PlannerDependencies {
  driver: Driver
  lifecycle: Lifecycle
  snapshots: Snapshots
}

/** The parts that replace those of an instance. */
interface Planned {
  /** The instance as it will be. */
  row: WholeInstance
  /** Absent: its flows stay. */
  flows: string | undefined
}

/**
 * Finds out how new contents would take over from what serves of an instance. `flows`: those it has now, if they are
 * known. Undefined where nothing serves.
 */
export function createPlanner({ driver, lifecycle, snapshots }: PlannerDependencies) {
  return async (now: WholeInstance, planned: Planned, flows?: string): Promise<TakeoverPlan | undefined> => {
    const { id } = now
    const [first, second] = driver.pair?.serving(id) ?? []
    if (now.wanted !== 'running' || !first) return undefined
    if (now.replicas === null) {
      const why = await lifecycle.running.obstacle(planned.row)
      if (why !== undefined) return { way: 'restart', why: `${why}.` }
    } else if (!second) return { way: 'restart', why: 'One of its two processes does not run.' }
    const before = nodesIn(flows ?? (await snapshots.held(now)).flows)
    const after = planned.flows === undefined ? before : nodesIn(planned.flows)
    const opens = await driver.pair!.opens(id, first.slot)
    return (now.replicas === null ? planOf : takeoverOf)({ setting: now.takeover, before, after, opens })
  }
}
