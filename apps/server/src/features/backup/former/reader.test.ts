import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDatabase } from '../../../../../../tools/test/postgres.ts'
import { createStubDriver, password, send, startServer } from '../../../../testing/index.ts'
import { readArchive } from '../archive.reader.ts'
import { inspecting } from '../archive.visitor.ts'
import { restoreBackup, Unsealable } from '../index.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Made by version 0.1.0, with one instance and four files in it. */
const file = join(import.meta.dirname, 'sealed-1.backup')
const passphrase = 'the oven is hot'
const instance = '01a20555-fd6f-748d-9f4e-da6ff7bf0c7b'
const chunk = 256 * 1024 + 16
let folder: string
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'forge-former-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

test('a backup in the former format is restored: people sign in, flows and files are there', async () => {
  const home = join(folder, 'home')
  const postgres = process.env.TEST_DATABASE === 'postgres'
  const url = postgres ? await createDatabase(process.env.TEST_POSTGRES_URL!) : ''
  const driver = createStubDriver()
  const target = { home, databaseUrl: url || undefined, driver }
  expect(await restoreBackup(target, { file, passphrase })).toMatchObject({ rows: 37, files: 4, instances: 1 })
  const server = await startServer({ config: { home, databaseUrl: url }, driver: () => driver })
  try {
    const body = { username: 'user-2', password }
    expect((await send(server.address, 'POST', '/account/login', { body })).status).toBe(200)
    const [team] = await server.app.database.read.selectFrom('teams').select('id').execute()
    const headers = { authorization: `Bearer ${await server.build.instanceToken({ id: instance, team: team! })}` }
    const flows = await send(server.address, 'GET', `/storage/${instance}/flows`, { headers })
    expect(flows.json).toEqual([{ id: 'tab', type: 'tab', label: 'Bread — größer 🥐' }])
    const files: [string, number, number][] = []
    for await (const { path, mode, content } of driver.files(instance))
      files.push([path, mode, Buffer.concat(await Array.fromAsync(content)).length])
    expect(files).toEqual([
      ['data/öfen.txt', 0o640, 6],
      ['flour.bin', 0o600, 200_000],
      ['empty', 0o600, 0],
      ['noise.bin', 0o600, 300_000],
    ])
  } finally {
    await server.close()
  }
})

test('one that is cut off, longer, changed in one bit, or under another passphrase is refused', async () => {
  const bytes = await readFile(file)
  const reading = async (given: Buffer, phrase = passphrase) => {
    await writeFile(join(folder, 'given'), given)
    return readArchive(join(folder, 'given'), phrase, inspecting)
  }
  await expect(reading(bytes, 'the oven is cold')).rejects.toThrow('The passphrase is not the one of this backup')
  const header = bytes.indexOf('}\n') + 2
  expect(bytes.length).toBeGreaterThan(header + chunk)
  for (const end of [5, header - 1, header, header + chunk, bytes.length - 1])
    await expect(reading(bytes.subarray(0, end))).rejects.toThrow('The file is damaged or incomplete')
  await expect(reading(Buffer.concat([bytes, Buffer.from('x')]))).rejects.toThrow(Unsealable)
  for (const at of [header - 10, header + 1, header + chunk + 7, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(reading(changed)).rejects.toThrow(Unsealable)
  }
  const end = Buffer.concat([bytes.subarray(0, header), bytes.subarray(header + chunk)])
  await expect(reading(end)).rejects.toThrow('The file is damaged or incomplete')
})
