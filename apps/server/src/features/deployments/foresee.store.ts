import { ModuleName, ModuleVersion } from '@app/contract'
import * as z from 'zod/mini'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Db } from '../../platform/db/tables.ts'
import { storageContext } from '../storage/index.ts'
import type { WholeInstance } from '../instances/index.ts'

/** A module with nodes, as the Node-RED of an instance has noted it. */
export interface ModuleNote {
  name: string
  version: string
  types: string[]
}

/** More instances of a team hardly know other modules. */
const notesMax = 40
/** The notes of the instance itself and of the source; if they do not suffice, all are needed. */
const nearMax = 2

/**
 * Notes of the team's instances about their modules: the instance itself first, then the source, then those whose
 * Node-RED changed its notes last. No more are decrypted once the first ones suffice.
 */
export async function listOfNotes(
  { database, vault }: { database: Database; vault: Vault },
  { id, team_id }: Pick<WholeInstance, 'id' | 'team_id'>,
  source: string | undefined,
  suffices: (notes: readonly ModuleNote[]) => boolean,
): Promise<ModuleNote[]> {
  const rows = await database.read
    .selectFrom('instance_storage')
    .innerJoin('instances', 'instances.id', 'instance_storage.instance_id')
    .select(['instance_storage.instance_id', 'instance_storage.body'])
    .where('instances.team_id', '=', team_id)
    .where('instances.deleted_at', 'is', null)
    .where('instance_storage.kind', '=', 'settings')
    .orderBy((order) =>
      order
        .case()
        .when('instances.id', '=', id)
        .then(0)
        .when('instances.id', '=', source ?? '')
        .then(1)
        .else(2)
        .end(),
    )
    .orderBy('instance_storage.updated_at', 'desc')
    .limit(notesMax)
    .execute()
  const notes: ModuleNote[] = []
  for (const [at, { instance_id, body }] of rows.entries()) {
    if (at > 0 && at <= nearMax && suffices(notes)) break
    const { nodes } = readSettings(vault.open(body, storageContext(instance_id, 'settings')), instance_id)
    notes.push(...notesIn(nodes))
  }
  return notes
}

/** The other instances of the platform that are to run, of whatever team. */
export async function othersRunning(db: Db, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('instances')
    .select('id')
    .where('id', '!=', id)
    .where('wanted', '=', 'running')
    .where('deleted_at', 'is', null)
    .execute()
  return rows.map((row) => row.id)
}

const { catch: otherwise } = z
/** Node-RED writes these settings, so a part that is not as expected is left out, and nothing is refused. */
const entries = otherwise(z.record(z.string(), z.unknown()), {})
const readSettings = jsonColumn('instance_storage.body', z.object({ nodes: entries }))
const Noted = z.object({ version: ModuleVersion, nodes: entries })
const Types = z.object({ types: z.array(z.unknown()) })

function notesIn(nodes: Record<string, unknown>): ModuleNote[] {
  return Object.entries(nodes).flatMap(([name, value]) => {
    const noted = Noted.safeParse(value)
    if (!noted.success || !ModuleName.safeParse(name).success) return []
    const { version, nodes: sets } = noted.data
    const types = Object.values(sets).flatMap((set) => Types.safeParse(set).data?.types ?? [])
    return [{ name, version, types: types.filter((one) => typeof one === 'string') }]
  })
}
