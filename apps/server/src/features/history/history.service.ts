import { type FlowVersion, type HistoryPoint, limits, type ReplyOf, type Routes } from '@app/contract'
import type { QueryOf } from '@app/contract'
import { fail } from '../../platform/http/failure.ts'
import { type Deployments, drawn } from '../deployments/index.ts'
import type { InstanceRow, Lifecycle } from '../instances/index.ts'
import type { Held, Snapshots } from '../snapshots/index.ts'
import type { Versions } from '../versions/index.ts'

export type History = ReturnType<typeof createHistory>

type Query = QueryOf<Routes['history.list']>
const nothing: Pick<Awaited<ReturnType<Snapshots['list']>>, 'meta' | 'count'> = { meta: {}, count: 0 }

/** The versions, deployments and snapshots of an instance as one history. */
export function createHistory(deps: {
  versions: Versions
  deployments: Deployments
  snapshots: Snapshots
  lifecycle: Lifecycle
}) {
  const { versions, deployments, snapshots, lifecycle } = deps

  /** The kept contents that `version:<id>` or `snapshot:<id>` names. @throws Failure not_found. */
  async function contentsOf(instanceId: string, kept: string): Promise<Partial<Held>> {
    const [kind, id = ''] = kept.split(':')
    if (kind === 'version') return (await versions.get(instanceId, id)).held
    const snapshot = await snapshots.find(instanceId, id)
    if (!snapshot) throw fail('not_found')
    return snapshots.read(snapshot)
  }

  return {
    /** A page of it, newest first. */
    async list(instance: Pick<InstanceRow, 'id' | 'name'>, { cursor, limit = limits.pageMax, kind, ...query }: Query) {
      const text = (query.query ?? query.search ?? '').trim().toLowerCase()
      const isAsked = (...kinds: Query['kind'][]) => kind === undefined || kinds.includes(kind)
      const [kept, deployed, taken] = await Promise.all([
        // Snapshots that people took name no version.
        kind === 'snapshots' ? [] : versions.list(instance.id),
        isAsked('deployments', 'problems')
          ? deployments.list(instance, { cursor, limit, text, problems: kind === 'problems' })
          : { ...nothing, deployments: [] },
        isAsked('snapshots')
          ? snapshots.list(instance.id, { cursor, limit, query: text, byPeople: true })
          : { ...nothing, snapshots: [] },
      ])
      const brought = broughtBy(kept)
      const ofEditor = kept.filter(
        (version) =>
          version.deployment === undefined &&
          isAsked('editor', ...(version.kind === 'refused' ? (['problems'] as const) : [])) &&
          (authorOf(version) ?? '').toLowerCase().includes(text),
      )
      const points: HistoryPoint[] = [
        ...ofEditor
          .filter(({ id }) => cursor === undefined || id < cursor)
          .map((version) => ({ id: version.id, createdAt: version.createdAt, version })),
        ...deployed.deployments.map((deployment) => {
          const version = brought.get(deployment.id)
          return { id: deployment.id, createdAt: deployment.createdAt, deployment, ...(version ? { version } : {}) }
        }),
        ...taken.snapshots.map((snapshot) => ({ id: snapshot.id, createdAt: snapshot.createdAt, snapshot })),
      ].sort((a, b) => (a.id < b.id ? 1 : -1))
      const history = points.slice(0, limit)
      const follows = points.length > limit || [deployed, taken].some(({ meta }) => meta.next_cursor !== undefined)
      return {
        meta: follows ? { next_cursor: history.at(-1)!.id } : {},
        count: ofEditor.length + deployed.count + taken.count,
        history,
      }
    },

    /** The changes from one point, or from what the instance holds now, to another. @throws Failure not_found. */
    async changes(
      instance: Pick<InstanceRow, 'id'>,
      to: string,
      from?: string,
    ): Promise<ReplyOf<Routes['history.changes']>> {
      const row = await lifecycle.instance(instance.id)
      const now = await snapshots.held(row)
      const [after, before] = [await contentsOf(row.id, to), from === undefined ? now : await contentsOf(row.id, from)]
      const then = { ...now, ...shared(before, after) }
      const held = shared(after, before)
      const changes = await snapshots.compare(row, { held }, then)
      return { changes, ...(await drawn(then.flows, held.flows, changes)) }
    },
  }
}

/** The parts of some contents that others have too, since a version has flows and perhaps credentials alone. */
const shared = (one: Partial<Held>, other: Partial<Held>): Partial<Held> =>
  Object.fromEntries(Object.entries(one).filter(([part]) => part in other))

const authorOf = ({ user, claimedUser }: FlowVersion) => (user ?? claimedUser)?.name

/**
 * The version that each deployment brought, by its id. Where it was put back, the flows of before are a version of the
 * same deployment, and the newer of the two.
 */
function broughtBy(kept: readonly FlowVersion[]): Map<string, FlowVersion> {
  return new Map(kept.flatMap((version) => (version.deployment ? [[version.deployment, version] as const] : [])))
}
