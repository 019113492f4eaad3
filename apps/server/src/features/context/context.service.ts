import type { ContextValue, InstanceContext } from '@app/contract'
import type { ContextTarget } from '@app/contract/instance-link'
import type { Driver } from '@app/drivers'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Audit } from '../audit/index.ts'
import { nodesIn } from '../flows/index.ts'
import { instanceRef, type InstanceRow, shownState } from '../instances/index.ts'
import { readStorage } from '../storage/index.ts'

export type Context = ReturnType<typeof createContext>

export interface ContextDependencies {
  database: Database
  clock: Clock
  audit: Audit
  driver: Driver
}

/** The persistent context of instances. It is in their files, which only their own processes open. */
export function createContext({ database, clock, audit, driver }: ContextDependencies) {
  function refuseSuspended(instance: InstanceRow): void {
    if (shownState(instance, clock.now()) === 'suspended' && instance.asleep === 0) throw fail('project_suspended')
  }
  const unanswered = () => fail('connection_refused', 'The instance does not answer. Start it and try again')

  return {
    /** @throws Failure project_suspended, connection_refused while the instance does not run. */
    async get(instance: InstanceRow): Promise<InstanceContext> {
      refuseSuspended(instance)
      const report = await driver.context(instance.id)
      if (!report) throw unanswered()
      const nameOf = namesIn(
        report.entries.length > 0 ? await readStorage(database.read, instance.id, 'flows') : undefined,
      )
      return {
        values: report.entries.map(({ scope, key, size, updated }) => ({
          scope,
          ...described(scope, nameOf),
          key,
          size,
          updatedAt: new Date(updated).toISOString(),
        })),
        count: report.count,
        size: report.bytes,
        limit: report.limit,
      }
    },

    /** @throws Failure not_found for what is not there, project_suspended, connection_refused. */
    async delete(actor: Actor, instance: InstanceRow, { scope, key }: ContextTarget): Promise<number> {
      refuseSuspended(instance)
      if (scope === undefined && key !== undefined)
        throw fail('invalid_request', 'Say in which scope the key is', { field: 'scope' })
      const target = { ...(scope === undefined ? {} : { scope }), ...(key === undefined ? {} : { key }) }
      const deleted = await driver.deleteContext(instance.id, target)
      if (deleted === undefined) throw unanswered()
      if (deleted === 0) return 0
      const auditScope = { type: 'project' as const, id: instance.id, team: instance.team_id }
      const body = { project: instanceRef(instance), info: { ...target, deleted } }
      await database.transact((tx) => audit.record(tx, actor, 'project.context.deleted', auditScope, body))
      return deleted
    },
  }
}

function described(
  scope: string,
  nameOf: (id: string) => string | undefined,
): Pick<ContextValue, 'kind' | 'name' | 'flow'> {
  if (scope === 'global') return { kind: 'global' }
  const [id = '', flowId] = scope.split(':')
  const [name, flow] = [nameOf(id), flowId === undefined ? undefined : nameOf(flowId)]
  return {
    kind: flowId === undefined ? 'flow' : 'node',
    ...(name === undefined ? {} : { name }),
    ...(flow === undefined ? {} : { flow }),
  }
}

/** Names as the editor shows them: a node without one by its type. */
function namesIn(flows: string | undefined): (id: string) => string | undefined {
  const names = new Map<string, string>()
  for (const { id, label, name, type } of flows === undefined ? [] : nodesIn(flows)) {
    const shown = [label, name, type].find((text) => typeof text === 'string' && text !== '')
    if (typeof shown === 'string') names.set(id, shown)
  }
  return (id) => names.get(id)
}
