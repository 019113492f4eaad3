import { FlowsReport } from '@app/contract'
import type { Driver } from '@app/drivers'
import * as z from 'zod/mini'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from './deployments.store.ts'
import { type Before, concluded, type Verdict } from '@app/drivers/judging'

/**
 * Notes once what the flows tell that serve now and since when, so that errors which were there already are known after them: also
 * after a kill of the server, when they may have ended.
 */
export async function noteBefore(
  { database, driver }: { database: Database; driver: Driver },
  deploymentId: string,
  instanceId: string,
): Promise<void> {
  if ((await findDeployment(database.read, deploymentId))?.flows_before !== null) return
  const { state, lastStartTime, members = [] } = await driver.status(instanceId)
  const starts = [lastStartTime, ...members.map((one) => one.lastStartTime)].filter((time) => time !== undefined)
  const without = state === 'crashed' || state === 'safe' ? state : 'none'
  const report = state === 'running' ? await driver.flows(instanceId) : undefined
  const before: Before = state === 'running' ? (report ? concluded(report) : 'unknown') : without
  await database.transact((tx) =>
    updateDeployment(tx, deploymentId, {
      flows_before: JSON.stringify(before),
      served_since: starts.length === 0 ? null : Math.max(...starts),
    }),
  )
}

/** Notes once since when nothing acts, before what serves is stopped. */
export async function noteStill(
  { database }: { database: Database },
  deploymentId: string,
  still_since: number,
): Promise<void> {
  if ((await findDeployment(database.read, deploymentId))?.still_since !== null) return
  await database.transact((tx) => updateDeployment(tx, deploymentId, { still_since }))
}

const read = jsonColumn<Before>(
  'deployments.flows_before',
  z.union([FlowsReport, z.enum(['none', 'safe', 'crashed', 'unknown'])]),
)
export const readBefore = ({ id, flows_before }: Pick<DeploymentRow, 'id' | 'flows_before'>): Before =>
  flows_before === null ? 'none' : read(flows_before, id)

/** The beginning of a trace says where it was. */
const stackMax = 1_000

/** A verdict as it goes on record. */
export const kept = ({ faults, warning }: Verdict) => ({
  faults:
    faults.length === 0
      ? null
      : JSON.stringify(
          faults.map(({ stack, ...fault }) => ({ ...fault, ...(stack && { stack: stack.slice(0, stackMax) }) })),
        ),
  warning: warning ?? null,
})
