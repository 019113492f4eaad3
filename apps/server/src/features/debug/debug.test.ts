import { expect, test } from 'vitest'
import { openServer } from '../../../testing/index.ts'
import { listMigrations } from '../../platform/db/migrate.ts'

const server = await openServer()

test('[PERM-28] administrators read which migrations ran and what the tables are, and an owner neither', async () => {
  const { admin, owner } = await server.build.platform()
  const applied = await admin.client.call('debug.migrations', {})
  expect(applied.map(({ name }) => name)).toEqual(await listMigrations())
  const tables = await admin.client.call('debug.schema', {})
  expect(tables.teams).toContainEqual(expect.objectContaining({ name: 'slug', nullable: false }))
  expect(Object.keys(tables)).toEqual(expect.arrayContaining(['users', 'instances', 'audit_log', 'migrations']))
  // The columns alone: nothing that stands in them.
  expect(JSON.stringify(tables)).not.toContain(owner.username)
  for (const call of ['debug.migrations', 'debug.schema'] as const)
    await expect(owner.client.call(call, {})).rejects.toMatchObject({ status: 403, code: 'unauthorized' })
})
