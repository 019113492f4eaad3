import type { HistoryPoint } from '@app/contract'
import { formatExact } from '../../lib/dates.ts'
import { titleOf } from '../deployments/index.ts'
import { originOf, whoOf } from '../versions/index.ts'

/** Describes a point of the history in a few words. */
export function titleOfPoint({ version, deployment, snapshot }: HistoryPoint): string {
  if (deployment) return titleOf(deployment)
  if (snapshot) return `Snapshot “${snapshot.name}”`
  return version ? originOf(version) : ''
}

/** Returns the author of a point; a name that an instance gave without proof is marked as its claim. */
export function whoOfPoint({ version, deployment, snapshot }: HistoryPoint, instance: string): string | undefined {
  if (deployment) return deployment.by
  if (snapshot) return snapshot.user?.name
  return version && whoOf(version, instance)
}

/** The page of a point. */
export function pathOfPoint({ id, deployment, snapshot }: HistoryPoint, instanceId: string): string {
  const list = deployment ? 'deployments' : snapshot ? 'snapshots' : 'versions'
  return `/instance/${instanceId}/${list}/${id}`
}

/** The name of what it keeps, for comparing; undefined where it keeps nothing. */
export function keptOf({ version, snapshot }: HistoryPoint): string | undefined {
  if (snapshot) return `snapshot:${snapshot.id}`
  return version && `version:${version.id}`
}

/** A point as one of a list to choose from. */
export const choiceOf = (point: HistoryPoint): string =>
  `${formatExact(point.createdAt)} · ${titleOfPoint(point)}${point.version?.current ? ' (current)' : ''}`

/** The address that compares two kept contents, the older one first; without `from`, with what there is now. */
export function comparisonPath(instanceId: string, to: string, from?: string): string {
  const search = new URLSearchParams({ ...(from === undefined ? {} : { from }), to })
  return `/instance/${instanceId}/history/compare?${search.toString()}`
}
