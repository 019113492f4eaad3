import { deploymentJson } from './deployments.view.ts'
import type { Takeover } from '@app/contract'
import { type Driver, DriverError } from '@app/drivers'
import type { Logger } from 'pino'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { StepContext } from '../../platform/jobs/definition.ts'
import type { Jobs } from '../../platform/jobs/jobs.ts'
import type { Addresses, Instances, Lifecycle, Operation, WholeInstance } from '../instances/index.ts'
import type { Snapshots } from '../snapshots/index.ts'
import type { Brought, Kind } from './deployments.kinds.ts'
import { readParts } from './deployments.parts.ts'
import { standing } from './deployments.standing.ts'
import { type DeploymentRow, findDeployment } from './deployments.store.ts'
import { withModules } from './functions.ts'

export interface EngineDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  jobs: Jobs
  driver: Driver
  addresses: Addresses
  lifecycle: Lifecycle
  snapshots: Snapshots
  launch: Instances['launch']
  /** Time that new contents must run without a crash. */
  steadySeconds: number
}

export interface Work<Memo> extends Operation {
  deployment: string
  memo: Memo
}
export type Context<Memo> = StepContext<Work<Memo>>

/** Does the instance run, or shall it? */
export const runs = (row: WholeInstance) => row.wanted === 'running'

/** The facts the steps of a deployment share: its row, and its parts. */
export function createWork<Input, Memo>({ database, driver, lifecycle }: EngineDependencies, kind: Kind<Input, Memo>) {
  const { read } = database

  async function deployment({ payload }: Context<Memo>): Promise<DeploymentRow> {
    const row = await findDeployment(read, payload.deployment)
    if (!row) throw new DriverError('gone', 'The instance was deleted in the meantime')
    return row
  }

  async function parts(context: Context<Memo>, which: 'incoming' | 'outgoing'): Promise<Brought> {
    const found = await readParts(read, await deployment(context), which)
    if (!found) throw new DriverError('gone', 'It is of an earlier version of the platform; ask for it again')
    return found
  }

  return {
    deployment,
    parts,

    /** Plan of its takeover, as decided before anything was touched. */
    async plan(context: Context<Memo>): Promise<Takeover | undefined> {
      const { id, takeover } = await deployment(context)
      return takeover === null ? undefined : deploymentJson.takeover(takeover, id)
    },

    async incoming(context: Context<Memo>, row: WholeInstance): Promise<Brought> {
      const { held, ...more } = await parts(context, 'incoming')
      return withModules({ driver, read }, row, { held: kind.settle?.(row, held) ?? held, ...more })
    },

    /** Does it change which modules the instance has, or what they run on? */
    bringsModules(row: WholeInstance, brings: Brought): boolean {
      const [before, after] = [row, standing(row, brings)].map(lifecycle.modulesOf)
      return JSON.stringify(before) !== JSON.stringify(after)
    },
  }
}
