import type { ChangeOf } from '../../platform/db/columns.ts'
import type { Db, Tx } from '../../platform/db/tables.ts'
import { roleThere } from '../application-members/index.ts'

export interface PipelineRow {
  id: string
  application_id: string
  name: string
  created_at: number
  updated_at: number
}

/** Which stage is next is told by `position` alone, so that no change can break the chain. */
export interface StageRow {
  id: string
  pipeline_id: string
  name: string
  /** Null when the instance was removed for good. */
  instance_id: string | null
  position: number
  /** Do pushes to it pass whose flows run with new errors? */
  on_errors: 'pass' | 'refuse'
  created_at: number
  updated_at: number
}

declare module '../../platform/db/tables.ts' {
  interface Tables {
    pipelines: PipelineRow
    pipeline_stages: StageRow
  }
}

/** A pipeline with its application, its team and the caller's roles, in one query. */
export async function loadPipeline(db: Db, id: string, userId: string) {
  const row = await db
    .selectFrom('pipelines as pipeline')
    .innerJoin('applications as application', 'application.id', 'pipeline.application_id')
    .innerJoin('teams as team', 'team.id', 'application.team_id')
    .leftJoin('team_members as member', (join) =>
      join.onRef('member.team_id', '=', 'application.team_id').on('member.user_id', '=', userId),
    )
    .leftJoin('application_members as own', (join) =>
      join.onRef('own.application_id', '=', 'pipeline.application_id').on('own.user_id', '=', userId),
    )
    .selectAll('pipeline')
    .select(['application.name as application_name', 'application.team_id'])
    .select(['team.name as team_name', 'team.slug as team_slug', 'member.role', 'own.role as application_role'])
    .where('pipeline.id', '=', id)
    .where('application.deleted_at', 'is', null)
    .executeTakeFirst()
  if (!row) return undefined
  const { application_name, team_id, team_name, team_slug, role, application_role, ...pipeline } = row
  const team = { id: team_id, name: team_name, slug: team_slug }
  return {
    team_id,
    role: roleThere({ role, application_role }),
    pipeline: { ...pipeline, application: { id: row.application_id, name: application_name, team } },
  }
}

export async function findPipeline(db: Db, applicationId: string, id: string): Promise<PipelineRow | undefined> {
  return db
    .selectFrom('pipelines')
    .selectAll()
    .where('id', '=', id)
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}

/** The pipeline as of now, of which nobody else changes a stage until the transaction ends. */
export async function lockPipeline(tx: Tx, id: string, postgres: boolean): Promise<PipelineRow | undefined> {
  const rows = tx.selectFrom('pipelines').selectAll().where('id', '=', id)
  return (postgres ? rows.forUpdate() : rows).executeTakeFirst()
}

export async function listPipelines(db: Db, applicationId: string): Promise<PipelineRow[]> {
  return db.selectFrom('pipelines').selectAll().where('application_id', '=', applicationId).orderBy('id').execute()
}

export async function insertPipeline(tx: Tx, row: PipelineRow): Promise<void> {
  await tx.insertInto('pipelines').values(row).execute()
}

export async function renamePipeline(tx: Tx, id: string, name: string, now: number): Promise<void> {
  await tx.updateTable('pipelines').set({ name, updated_at: now }).where('id', '=', id).execute()
}

/** False when it is gone already. */
export async function deletePipeline(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('pipelines').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

/** The stages of pipelines, in the order of running. */
export async function listStages(db: Db, pipelineIds: readonly string[]): Promise<StageRow[]> {
  if (pipelineIds.length === 0) return []
  return db
    .selectFrom('pipeline_stages')
    .selectAll()
    .where('pipeline_id', 'in', pipelineIds)
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** Where an instance stands in pipelines. */
export async function listStagesOf(db: Db, instanceId: string) {
  const rows = await db
    .selectFrom('pipeline_stages as stage')
    .innerJoin('pipeline_stages as other', 'other.pipeline_id', 'stage.pipeline_id')
    .select(['stage.id', 'stage.name', 'stage.position'])
    .select(({ fn }) => [fn.min('other.position').as('first'), fn.max('other.position').as('last')])
    .where('stage.instance_id', '=', instanceId)
    .groupBy(['stage.id', 'stage.name', 'stage.position'])
    .orderBy('stage.id')
    .execute()
  return rows.map(({ name, position, first, last }) => ({
    name,
    isFirst: position === Number(first),
    isLast: position === Number(last),
  }))
}

/** Is a stage of this instance, right behind one of that, set to refuse what runs with new errors? */
export async function refusesErrors(db: Db, sourceId: string, targetId: string): Promise<boolean> {
  const found = await db
    .selectFrom('pipeline_stages as stage')
    .innerJoin('pipeline_stages as before', 'before.pipeline_id', 'stage.pipeline_id')
    .select('stage.id')
    .where('stage.instance_id', '=', targetId)
    .where('stage.on_errors', '=', 'refuse')
    .where('before.instance_id', '=', sourceId)
    .whereRef('before.position', '<', 'stage.position')
    .executeTakeFirst()
  return found !== undefined
}

/** Makes room for a stage at this position. */
export async function moveUp(tx: Tx, pipelineId: string, from: number): Promise<void> {
  await tx
    .updateTable('pipeline_stages')
    .set((stage) => ({ position: stage('position', '+', 1) }))
    .where('pipeline_id', '=', pipelineId)
    .where('position', '>=', from)
    .execute()
}

export async function insertStage(tx: Tx, row: StageRow): Promise<void> {
  await tx.insertInto('pipeline_stages').values(row).execute()
}

export async function updateStage<Change extends Partial<StageRow>>(
  tx: Tx,
  id: string,
  change: ChangeOf<StageRow, Change>,
): Promise<void> {
  await tx.updateTable('pipeline_stages').set(change).where('id', '=', id).execute()
}

export async function deleteStage(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('pipeline_stages').where('id', '=', id).execute()
}
