import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { databaseUrl } from '../../../testing/index.ts'
import { openDatabase } from '../../platform/db/database.ts'
import { listMigrations, migrate } from '../../platform/db/migrate.ts'

const step = '0242-device-audit.ts'

test('entries from before the logs of devices stand in them, and only those that the platform says are of a device', async () => {
  const home = await mkdtemp(join(tmpdir(), 'forge-audit-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const database = await openDatabase({ home, url: await databaseUrl({ empty: true }) })
  onTestFinished(database.close)
  const before = (await listMigrations()).filter((name) => name < step)
  await migrate(database, undefined, new Set(before))
  const device = { id: 'd1', name: 'Oven "3"' }
  const project = { id: 'p1', name: 'a\\"b\u0000' }
  const entries: [event: string, scope: string, body: object, of: string | null][] = [
    ['team.device.created', 'team', { device }, 'd1'],
    ['team.device.assigned', 'team', { device, project }, 'd1'],
    ['project.device.assigned', 'project', { device, project }, null],
    ['flows.set', 'project', { project, device, info: { text: 'a\u0000b' } }, 'd1'],
    ['flows.set', 'project', { project, info: { device, text: '"device":{"id":"d1"' } }, null],
    ['team.created', 'team', { team: { id: 't' } }, null],
  ]
  for (const [event, scope, body] of entries)
    await sql`insert into audit_log (created_at, event, scope_type, scope_id, trigger_type, trigger_name, address, body)
      values (1, ${event}, ${scope}, 'x', 'system', 'x', '', ${JSON.stringify(body)})`.execute(database.read)
  await migrate(database, undefined, new Set([...before, step]))
  const rows = await database.read.selectFrom('audit_log').select('device_id').orderBy('id').execute()
  expect(rows.map(({ device_id }) => device_id)).toEqual(entries.map(([, , , of]) => of))
})
