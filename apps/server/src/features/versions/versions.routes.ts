import { okay, type ReplyOf, type RouteIdOf, type Routes } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import type { Deploying, InstanceRow } from '../instances/index.ts'
import type { Versions } from './versions.service.ts'

/** Compares a version with what the instance holds now, or with the version `from`. */
export interface Comparing {
  /** @throws Failure not_found. */
  versionChanges(instance: InstanceRow, id: string, from?: string): Promise<ReplyOf<Routes['version.changes']>>
}

export function versionHandlers(
  versions: Versions,
  deploying: Pick<Deploying, 'restore'> & Comparing,
): Handlers<RouteIdOf<'version'>> {
  return {
    async 'version.list'({ instance }) {
      const list = await versions.list(instance.id)
      return { meta: {}, count: list.length, versions: list }
    },
    async 'version.flows'({ instance, reply }, { params }) {
      const { version, held } = await versions.get(instance.id, params.versionId)
      const name = `${instance.name}-flows-${new Date(version.created_at).toISOString().replace(/[:.]/g, '-')}.json`
      // As it was stored: parsing and printing 20 MB of flows would hold up everyone.
      await reply
        .header('content-type', 'application/json; charset=utf-8')
        .header('content-disposition', `attachment; filename="${name}"`)
        .send(held.flows)
    },
    'version.changes': async ({ instance }, { params, query }) =>
      deploying.versionChanges(instance, params.versionId, query.from),
    async 'version.restore'({ actor, instance }, { params, body }) {
      await deploying.restore(actor, instance, params.versionId, body)
      return okay
    },
  }
}
