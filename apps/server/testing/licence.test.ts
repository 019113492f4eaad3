import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './index.ts'
import { runLicence } from '../src/cli/licence.run.ts'

const built = join(import.meta.dirname, '../src/features/settings/vendor.keys.ts')
let folder: string
let keysFile: string
let server: TestServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'forge-licence-'))
  keysFile = join(folder, 'vendor.keys.ts')
  writeFileSync(keysFile, readFileSync(built))
  const key = vendor('keys', 'vendor.pem').said
  server = await startServer({ config: { licenceKeys: [key] } })
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

function vendor(...args: string[]) {
  const said: string[] = []
  const say = (text: string) => void said.push(text)
  const code = runLicence(args, { folder, keysFile, say, complain: say })
  return { code, said: said.join('\n') }
}
const keysOf = () => [...readFileSync(keysFile, 'utf8').matchAll(/ '(\S+=)',$/gm)].map(([, key]) => key)

test('a licence that the command makes for the id that administrators see holds there, and nowhere else', async () => {
  const admin = await server.build.user({ admin: true })
  const platform = (await admin.client.call('settings.get'))['platform:id']!
  const apply = (license: string) => admin.client.call('licence.update', { body: { license, action: 'apply' } })
  const make = (id: string) =>
    vendor('make', 'vendor.pem', '--organisation', 'Mill', '--expires', '2099-01-01', '--users', '5', '--platform', id)
  expect(await apply(make(platform).said)).toMatchObject({ organisation: 'Mill', users: 5, teams: null, platform })
  await expect(apply(make('another').said)).rejects.toMatchObject({ code: 'invalid_license' })
  expect(await (await server.build.user()).client.call('settings.get')).not.toHaveProperty(['platform:id'])
})

test('public keys are built in one after the other, once each', () => {
  const keys = ['one.pem', 'two.pem'].map((file) => vendor('keys', file).said)
  const before = keysOf()
  for (const key of [...keys, keys[0]!]) expect(vendor('build-in', key).code).toBe(0)
  expect(keysOf()).toEqual([...before, ...keys])
  expect(vendor('build-in', 'x').code).toBe(1)
  expect(keysOf()).toEqual([...before, ...keys])
})

test('what is not understood or not possible changes nothing', () => {
  const before = readFileSync(join(folder, 'vendor.pem'), 'utf8')
  expect(statSync(join(folder, 'vendor.pem')).mode & 0o777).toBe(0o600)
  expect(vendor('keys', 'vendor.pem')).toEqual({ code: 1, said: expect.stringContaining('is there already') })
  expect(readFileSync(join(folder, 'vendor.pem'), 'utf8')).toBe(before)
  expect(vendor('make', 'vendor.pem', '--organisation', 'Mill')).toEqual({
    code: 1,
    said: 'Give --expires and --valid-from as dates',
  })
  const enough = ['--organisation', 'Mill', '--expires', '2099-01-01']
  for (const [args, said] of [
    [['vendor.pem', '--expires', '2099-01-01'], 'Give --organisation, whom the licence is for'],
    [['vendor.pem', ...enough, '--users', 'ten'], 'Give --users as a whole number'],
    [['vendor.pem', ...enough, '--expires', '2020-01-01'], 'It would expire before it holds: give a later --expires'],
    [['none.pem', ...enough], expect.stringMatching(/^There is no .*none\.pem$/)],
  ] as const)
    expect(vendor('make', ...args)).toEqual({ code: 1, said })
  for (const args of [[], ['sell', 'x'], ['keys'], ['make', 'a', 'b']]) expect(vendor(...args).code).toBe(2)
})
