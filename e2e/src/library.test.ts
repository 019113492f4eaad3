import type { LibraryType, Team } from '@app/contract'
import { beforeAll, expect, test } from 'vitest'
import {
  admin,
  createTeam,
  type Person,
  screens,
  sees,
  shot,
  usePlatform,
  useVisitors,
  type Visitor,
} from './harness/index.ts'

const platform = usePlatform({ claimed: true })
const visitors = useVisitors()
let owner: Person
let visitor: Visitor
let team: Team

beforeAll(async () => {
  const { people } = platform()
  people.add('bob')
  owner = await people.signIn('bob', admin.password)
  team = (await createTeam(owner.client, 'Example Bakery')).team
  visitor = await visitors.open(platform(), owner)
})

const save = (path: string, type: LibraryType, body: unknown) =>
  owner.client.call('library.save', { params: { teamId: team.id, '*': path }, body: { type, body } })
const link = (name: string) => visitor.page.getByRole('link', { name: new RegExp(`(^| )${name}$`) })

test('An empty library says how something comes into it', async () => {
  const { page } = visitor
  await page.goto(`/team/${team.slug}/applications`)
  await page.getByRole('link', { name: 'Library' }).click()
  await sees(page.getByText('Nothing is shared yet'))
  await shot(page, 'library-none')
})

test('[LIB-01] [LIB-02] [LIB-04] [LIB-05] [ERR-01] Folders lead to entries, whose contents can be copied, and back', async () => {
  const { page } = visitor
  await save('Clean up', 'functions', 'return msg')
  await save('Start', 'flows', [{ id: 'a', type: 'inject', name: 'every morning' }])
  await save('Ovens/Door/Watch', 'flows', [{ id: 'b', type: 'inject', name: 'door' }])
  await page.reload()
  for (const kind of ['Folder', 'Flows', 'Function']) await sees(page.getByRole('img', { name: kind }))
  expect((await page.getByRole('columnheader').allInnerTexts()).slice(0, 2)).toEqual(['Name', 'Date Modified'])
  await shot(page, 'library')
  await link('Ovens').click()
  await link('Door').click()
  await link('Watch').click()
  await sees(page.getByLabel('Contents').getByText('"door"'))
  await shot(page, 'library-entry')
  await page.getByRole('button', { name: 'Copy to Clipboard' }).click()
  await sees(screens.toast(page, 'Copied to Clipboard.'))
  expect(JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()'))).toMatchObject([{ name: 'door' }])
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  expect(await trail.getByRole('link').allInnerTexts()).toEqual(['Library', 'Ovens', 'Door'])
  await trail.getByRole('link', { name: 'Library' }).click()
  await sees(link('Start'))
})

test('[LIB-03] [LIB-09] [LIB-10] Deleting asks, names the type, and says how it went', async () => {
  const { page, expectProblem } = visitor
  const menu = async (name: string) => {
    await screens.menu.choose(page, `Actions for ${name}`, 'Delete')
    await sees(page.getByRole('heading', { name: `Delete ${name}?` }))
  }
  const calls: string[] = []
  page.on('request', (request) => request.method() === 'DELETE' && calls.push(new URL(request.url()).search))
  await menu('Start')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Successfully deleted!'))
  await link('Start').waitFor({ state: 'detached' })
  expect(calls).toEqual(['?type=flows'])

  expectProblem(/404/)
  await owner.client.call('library.delete', { params: { teamId: team.id, '*': 'Clean up' } })
  await menu('Clean up')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await sees(screens.toast(page, 'Failed to delete device: '))
})
