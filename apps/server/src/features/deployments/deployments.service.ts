import {
  type Deployment,
  type DeploymentCheck,
  type DeploymentDraft,
  type Extras,
  type Foreseen,
  type PageQuery,
} from '@app/contract'
import { DriverError } from '@app/drivers'
import { also } from '../../platform/features/services.ts'
import type { Actor } from '../../platform/authz/actor.ts'
import type { Vault } from '../../platform/crypto.ts'
import { pageOf } from '../../platform/db/page.ts'
import { fail } from '../../platform/http/failure.ts'
import type { Audit } from '../audit/index.ts'
import { type Catalogue, stackProperties } from '../catalogue/index.ts'
import { asInstalled, type Deploying, type InstanceRow, type WholeInstance } from '../instances/index.ts'
import { modulesOfSnapshot } from '../snapshots/index.ts'
import type { Contents } from '../contents/index.ts'
import type { Quotas } from '../team-types/index.ts'
import type { Versions } from '../versions/index.ts'
import { drawn } from './deployments.drawing.ts'
import { createEngine } from './deployments.engine.ts'
import type { Brought, Plan } from './deployments.kinds.ts'
import { standing } from './deployments.standing.ts'
import {
  countDeployments,
  type DeploymentRow,
  findDeployment,
  listDeployments,
  listLastPushes,
} from './deployments.store.ts'
import { deploymentView } from './deployments.view.ts'
import type { EngineDependencies } from './deployments.work.ts'
import { foreseeOnDevices, type TargetedDevice } from './foresee.devices.ts'
import { foresee, type ForeseeDependencies } from './foresee.ts'
import { withModules } from './functions.ts'
import { createLaterJudging } from './judging.later.ts'
import { importKind } from './kinds/import.kind.ts'
import { type PushDependencies, pushKind } from './kinds/push.kind.ts'
import { restoreKind } from './kinds/restore.kind.ts'
import { rollbackKind } from './kinds/rollback.kind.ts'
import { stackKind } from './kinds/stack.kind.ts'
import { createPlanner } from './takeover.plan.ts'

interface DeploymentsDependencies extends EngineDependencies, Pick<ForeseeDependencies, 'nodeCatalogue' | 'messages'> {
  audit: Audit
  vault: Vault
  catalogue: Catalogue
  contents: Contents
  versions: Versions
  quotas: Pick<Quotas, 'changeInstanceType'>
  roleOfCaller: PushDependencies['roleOfCaller']
  refusesErrors: PushDependencies['refusesErrors']
}

export type Deployments = ReturnType<typeof createDeployments>

/** New contents for instances. Each deployment is on record from the moment it is asked for. */
export function createDeployments(deps: DeploymentsDependencies) {
  const { database, driver, jobs, lifecycle, snapshots } = deps
  const { read } = database
  const complete = (row: WholeInstance, brings: Brought) => withModules({ driver, read }, row, brings)
  const kinds = {
    rollback: rollbackKind(deps),
    import: importKind(also(deps, { read })),
    restore: restoreKind(deps),
    stack: stackKind(deps),
    push: pushKind(
      also(deps, {
        read,
        complete,
        foresee: (known: Parameters<typeof foresee>[1]) => foresee(deps, known),
        asInstalled: (row: Parameters<typeof asInstalled>[1]) => asInstalled(deps, row),
      }),
    ),
  }
  const judgeLater = createLaterJudging(deps)
  const define = createEngine(deps, judgeLater.started)
  const planFor = createPlanner(deps)
  const deploy = {
    rollback: define(kinds.rollback),
    import: define(kinds.import),
    restore: define(kinds.restore),
    stack: define(kinds.stack),
    push: define(kinds.push),
  }

  const deploying: Deploying = {
    importFiles: deploy.import.begin,
    push: deploy.push.begin,
    restore: async (actor, instance, version, extras) => deploy.restore.begin(actor, instance, { version }, extras),
    async changeStack(actor, instance, to, extras) {
      if (to.type === instance.type_id && to.stack === instance.stack_id) return
      await deploy.stack.begin(actor, instance, to, extras)
    },
  }

  /** The contents somebody is about to deploy. @throws Failure for any fault in the draft. */
  async function brought(actor: Actor, instance: WholeInstance, draft: DeploymentDraft) {
    const { install } = draft
    const { brings, nodered } = await named(actor, instance, draft)
    return { brings: await complete(instance, { ...brings, ...(install ? { install } : {}) }), nodered }
  }
  async function named(
    actor: Actor,
    instance: InstanceRow,
    draft: DeploymentDraft,
  ): Promise<Pick<Plan<unknown>, 'brings' | 'nodered'>> {
    const { snapshot, version, stack, projectType: type = instance.type_id, files = {} } = draft
    if (snapshot !== undefined) return kinds.rollback.read(instance, { snapshot }, actor)
    if (version !== undefined) return kinds.restore.read(instance, { version }, actor)
    if (stack !== undefined) return kinds.stack.read(instance, { type, stack }, actor)
    return kinds.import.read(instance, files, actor)
  }

  async function view(rows: DeploymentRow[], instance: Pick<InstanceRow, 'id' | 'name'>): Promise<Deployment[]> {
    const found = await jobs.find(rows.flatMap(({ job_id }) => job_id ?? []))
    const steps = new Map(found.map((job) => [job.id, job.steps]))
    return rows.map((row) => deploymentView(row, instance, steps.get(row.job_id ?? '') ?? []))
  }

  return {
    ...deploying,
    deployJobs: Object.values(deploy).map(({ job }) => job),

    /** Puts a snapshot in the place of what an instance holds. @throws Failure invalid_snapshot, invalid_state. */
    rollback: async (actor: Actor, instance: InstanceRow, { snapshot, ...extras }: { snapshot: string } & Extras) =>
      deploy.rollback.begin(actor, instance, { snapshot }, extras),

    /** `problems`: only those that failed, or left something to be looked at. `text`: whose names contain it. */
    async list(
      instance: Pick<InstanceRow, 'id' | 'name'>,
      { cursor, limit, ...sought }: PageQuery & { problems?: boolean; text?: string },
    ) {
      const { rows, ...page } = await pageOf({ cursor, limit }, async (portion) => ({
        rows: await listDeployments(read, instance.id, { ...portion, ...sought }),
        count: await countDeployments(read, instance.id, sought),
      }))
      return { ...page, deployments: await view(rows, instance) }
    },

    /** @throws Failure not_found, also for a deployment to another instance. */
    async get(instance: Pick<InstanceRow, 'id' | 'name'>, id: string): Promise<Deployment> {
      const row = await findDeployment(read, id)
      if (row?.instance_id !== instance.id) throw fail('not_found')
      return (await view([row], instance))[0]!
    },

    /** The expected changes, with a drawing where one is possible. @throws Failure for any fault in the draft. */
    async preview(actor: Actor, instance: InstanceRow, draft: DeploymentDraft) {
      const row = await lifecycle.instance(instance.id)
      const { brings, nodered } = await brought(actor, row, draft)
      const now = await snapshots.held(row)
      const changes = await snapshots.compare(row, brings, now)
      const { flows } = brings.held
      const takeover = await planFor(row, { row: standing(row, brings), flows }, now.flows)
      return {
        ...(takeover ? { takeover } : {}),
        changes,
        ...(await drawn(now.flows, flows, changes)),
        foreseen: await foresee(deps, { row, now, brings, nodered }),
      }
    },

    /**
     * The changes from the instance's contents now, or from the version `from`, to a version of the flows. @throws
     * Failure not_found.
     */
    async versionChanges(instance: InstanceRow, id: string, from?: string) {
      const row = await lifecycle.instance(instance.id)
      const { held: after } = await deps.versions.get(row.id, id)
      const before = from === undefined ? {} : (await deps.versions.get(row.id, from)).held
      const then = { ...(await snapshots.held(row)), ...before }
      const changes = await snapshots.compare(row, { held: after }, then)
      return { changes, ...(await drawn(then.flows, after.flows, changes)) }
    },

    /**
     * Can everything be had that it needs? Modules are fetched for it, which changes nothing of the instance.
     * @throws Failure for whatever is wrong with the draft.
     */
    async check(actor: Actor, instance: InstanceRow, draft: DeploymentDraft): Promise<DeploymentCheck> {
      const now = await lifecycle.instance(instance.id)
      const row = standing(now, (await brought(actor, now, draft)).brings)
      const stack = stackProperties({ properties: row.stack_properties })
      if (!(await driver.hasStack(stack)))
        return { ready: false, problem: `Node-RED ${stack.nodered} is not here yet; it is fetched first` }
      try {
        await driver.prepareModules(lifecycle.modulesOf(row), () => undefined)
        return { ready: true }
      } catch (error) {
        if (error instanceof DriverError) return { ready: false, problem: error.message }
        throw error
      }
    },

    /** The changes that pushing one instance to another, as pipelines do, would make. @throws Failure not_found. */
    async pushChanges(sourceId: string, targetId: string) {
      const { brings, flows, ...preview } = await kinds.push.preview(sourceId, targetId)
      const row = await lifecycle.instance(targetId)
      const takeover = await planFor(row, { row: standing(row, brings), flows: brings.held.flows }, flows)
      return { ...preview, ...(takeover ? { takeover } : {}) }
    },

    /** Problems known before devices run a snapshot of this instance, with its flows. @throws Failure invalid_snapshot. */
    async foreseeOnDevices(
      instance: InstanceRow,
      id: string,
      devices: readonly TargetedDevice[],
    ): Promise<{ foreseen: Foreseen[]; flows: string }> {
      const snapshot = await snapshots.find(instance.id, id)
      if (!snapshot) throw fail('invalid_snapshot', undefined, { field: 'snapshot' })
      const held = await snapshots.read(snapshot)
      const row = standing(await lifecycle.instance(instance.id), { held })
      const { 'node-red': nodered } = modulesOfSnapshot(snapshot)
      const before = await snapshots.targetFlows(instance.id)
      return { foreseen: await foreseeOnDevices(deps, { row, held, before, nodered, devices }), flows: held.flows }
    },

    ...judgeLater,

    /** The last push to each of these instances, by instance. */
    async lastPushes(ids: readonly string[]): Promise<Map<string, DeploymentRow>> {
      return new Map((await listLastPushes(read, ids)).map((row) => [row.instance_id, row]))
    },
  }
}
