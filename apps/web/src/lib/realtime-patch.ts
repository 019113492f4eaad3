import type { Instance, InstanceState, Job, PushEvent } from '@app/contract'
import type { Query, QueryClient } from '@tanstack/react-query'
import { keys } from './api-keys.ts'
import { hasInstance, isDeploying, type PipelineList, withStates } from './pipeline-states.ts'

type Stateful = { id: string } & Partial<InstanceState>
type InstanceList = { instances: Stateful[] }
type ApplicationList = { applications: InstanceList[] }
type JobList = { count: number; jobs: Job[] }

/** Puts what the platform tells into the query cache, or marks as stale what must be read anew. */
export function applyEvent(client: QueryClient, event: PushEvent): void {
  const invalidate = (queryKey: readonly unknown[]) => void client.invalidateQueries({ queryKey })
  switch (event.type) {
    case 'instance':
      if (event.changed) invalidate(keys.instance(event.id))
      else {
        // Told together with new flows.
        if (event.state.sleepObstacle !== undefined) {
          invalidate(keys.instanceVersions(event.id))
          invalidate(keys.history(event.id))
          invalidate(keys.instanceNodes(event.id))
        }
        // Another process may run the flows now.
        invalidate(keys.instanceErrors(event.id))
      }
      // With new flows or settings a preview compares with something else.
      if (event.changed || event.state.sleepObstacle !== undefined) invalidate(keys.previews(event.id))
      return patchState(client, event)
    case 'errors':
      return invalidate(keys.instanceErrors(event.id))
    case 'instance.deleted':
      invalidate(keys.team(event.team))
      invalidate(keys.application(event.application))
      return invalidate(keys.instance(event.id))
    case 'job':
      if (event.job.kind.startsWith('deployment.'))
        if (event.job.endedAt !== undefined) {
          invalidate(keys.deployments(event.subject))
          invalidate(keys.history(event.subject))
          invalidate(keys.previews(event.subject))
        }
        // Its steps. It may tell of them faster than they are read, and tells once more when it has ended.
        else
          void client.invalidateQueries({ queryKey: keys.deployments(event.subject, 'one') }, { cancelRefetch: false })
      return patchJob(client, event.subject, event.job)
    case 'queue':
      for (const { subject, job, place } of event.places) patchQueuePosition(client, subject, job, place)
      return
    case 'device':
      invalidate(keys.device(event.id))
      // The number of devices that run a snapshot comes with the snapshots.
      return void client.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[2] === 'snapshots' || queryKey[2] === 'devices',
      })
    case 'audit':
      // An entry of a team or an instance may stand in the log of a device too.
      void client.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] === 'device' && queryKey[2] === 'audit',
      })
      return invalidate(keys.audit(event.scope, event.id))
    case 'team':
      invalidate(keys.teams)
      invalidate(['team-by-slug'])
      invalidate(['application'])
      return invalidate(keys.team(event.team))
  }
}

function patchState(client: QueryClient, event: Extract<PushEvent, { type: 'instance' }>): void {
  const { id, state, team, application } = event
  const patch = <T extends Stateful>(item: T): T => (item.id === id ? { ...item, ...state } : item)
  const patchList = <L extends InstanceList>(list: L): L => ({ ...list, instances: list.instances.map(patch) })

  change<Instance>(client, keys.instance(id), patch)
  change<InstanceList>(client, keys.teamInstances(team), patchList)
  change<InstanceList>(client, keys.applicationInstances(application), patchList)
  patchPipelines(client, event)
  change<ApplicationList>(client, keys.teamApplications(team), (old) => ({
    ...old,
    applications: old.applications.map(patchList),
  }))
}

const awaited = new WeakSet<Query>()

/**
 * Changes what was read, if it was. What is being read just now may have been answered before this happened, and would
 * put the old state back for good: it is read once more.
 */
function change<T>(client: QueryClient, queryKey: readonly unknown[], to: (old: T) => T): void {
  client.setQueryData<T>(queryKey, (old) => old && to(old))
  const query = client.getQueryCache().find({ queryKey, exact: true })
  if (query?.state.fetchStatus !== 'fetching' || awaited.has(query)) return
  awaited.add(query)
  const again = () => {
    awaited.delete(query)
    void client.invalidateQueries({ queryKey, exact: true })
  }
  void query.promise?.then(again, again)
}

function patchPipelines(client: QueryClient, event: Extract<PushEvent, { type: 'instance' }>): void {
  const queryKey = keys.pipelines(event.application)
  const before = client.getQueryData<PipelineList>(queryKey)
  if (!before || !hasInstance(before, event.id)) return
  client.setQueryData<PipelineList>(queryKey, withStates(before, [{ id: event.id, ...event.state }]))
  // Which deployment has begun, or how it ended, is told by the list alone.
  if (isDeploying(before, event.id) !== event.state.meta.isDeploying) void client.invalidateQueries({ queryKey })
}

function patchJob(client: QueryClient, instanceId: string, job: Job): void {
  change<JobList>(client, keys.instanceJobs(instanceId), (old) => {
    if (!old.jobs.some(({ id }) => id === job.id)) return { count: old.count + 1, jobs: [job, ...old.jobs] }
    return { ...old, jobs: old.jobs.map((one) => (one.id === job.id ? job : one)) }
  })
}

function patchQueuePosition(client: QueryClient, instanceId: string, jobId: string, queuePosition: number): void {
  client.setQueryData<JobList>(keys.instanceJobs(instanceId), (old) => {
    // It may have begun since its position was told.
    const waits = (job: Job) => job.id === jobId && job.state === 'queued'
    return old?.jobs.some(waits)
      ? { ...old, jobs: old.jobs.map((job) => (waits(job) ? { ...job, queuePosition } : job)) }
      : old
  })
}
