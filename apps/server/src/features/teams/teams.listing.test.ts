import { roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, send, type TestUser } from '../../../testing/index.ts'

const server = await openServer()
const admin = await server.build.user({ admin: true })

const get = async (path: string, as: TestUser = admin) =>
  (await send(server.address, 'GET', path, { headers: { cookie: as.cookie } })).json

test('[ATEAMS-05] [API-56] [API-07] [API-64] every team stands in the list once, and is found by name and by id', async () => {
  const owner = await server.build.user()
  const team = await server.build.team(owner, 'Gärtnerei Am Quellenhof')
  await server.build.member(team, roles.viewer)
  await server.build.team(owner, 'Bäckerei')
  const walked: string[] = []
  let cursor: string | undefined
  do {
    const page = await get(`/api/v1/teams?limit=1${cursor ? `&cursor=${cursor}` : ''}`)
    walked.push(...(page.teams as { id: string }[]).map(({ id }) => id))
    cursor = (page.meta as { next_cursor?: string }).next_cursor
  } while (cursor)
  expect(walked).toHaveLength(2)
  expect(new Set(walked).size).toBe(2)
  for (const text of ['quelle', 'gartnerei am', team.id]) {
    expect(await get(`/api/v1/teams?query=${encodeURIComponent(text)}`)).toMatchObject({
      count: 1,
      teams: [
        { id: team.id, name: team.name, slug: team.slug, type: { name: 'Standard' }, memberCount: 2, instanceCount: 0 },
      ],
    })
  }
  await owner.client.call('team.update', { params: { teamId: team.id }, body: { name: 'Baumschule' } })
  expect((await get('/api/v1/teams?query=gartnerei%20baum')).count).toBe(1)
  expect((await get('/api/v1/teams?query=quellenhof%20baum')).count).toBe(1)
  expect((await get('/api/v1/teams?search=baumschule')).count).toBe(1)
})
