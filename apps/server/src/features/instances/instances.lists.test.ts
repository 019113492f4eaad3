import { roles } from '@app/contract'
import { DriverError } from '@app/drivers'
import { beforeAll, describe, expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, owner, inState, raw, running, script } = await openWorkshop()

describe('logs', () => {
  const logs = async (instanceId: string, query = {}) =>
    owner.client.call('instance.logs', { params: { instanceId }, query })
  const lines = ({ log: entries }: { log: { msg: string }[] }) => entries.map(({ msg }) => msg)

  test('[NRLOG-05] [NRLOG-12] [API-79] are paged in both directions, without a gap or a line twice', async () => {
    const { id } = await running()
    for (let n = 0; n < 70; n++) script().log(id, `line ${n}`, n % 2 ? 'info' : 'error')
    const newest = await logs(id)
    expect(newest.log).toHaveLength(30)
    expect(newest.log.at(-1)).toEqual({
      ts: expect.stringMatching(/^\d{17}$/) as string,
      level: 'info',
      msg: 'line 69',
      src: '57ab',
    })
    let all = lines(newest)
    let page = newest
    while (page.meta.previous_cursor) {
      page = await logs(id, { cursor: page.meta.previous_cursor })
      all = [...lines(page), ...all]
    }
    expect(all.slice(1)).toEqual(Array.from({ length: 70 }, (_, n) => `line ${n}`))
    expect(all[0]).toMatch(/Node-RED version/)

    const cursor = newest.meta.next_cursor!
    expect(await logs(id, { cursor })).toEqual({ meta: { next_cursor: cursor }, log: [] })
    for (let n = 70; n < 75; n++) script().log(id, `line ${n}`)
    const after = await logs(id, { cursor, limit: 3 })
    expect(lines(after)).toEqual(['line 70', 'line 71', 'line 72'])
    expect(lines(await logs(id, { cursor: after.meta.next_cursor! }))).toEqual(['line 73', 'line 74'])
  })

  test('there is no previous page before the oldest line, also when the page is full', async () => {
    const { id } = await running()
    for (let n = 0; n < 4; n++) script().log(id, `line ${n}`)
    expect((await logs(id, { limit: 5 })).meta).not.toHaveProperty('previous_cursor')
    expect((await logs(id, { limit: 4 })).meta).toHaveProperty('previous_cursor')
  })

  test('are there for an instance that crashed or was stopped', async () => {
    const { id } = await running()
    script().log(id, 'last words')
    script().crash(id)
    await inState(id, 'crashed')
    expect(lines(await logs(id)).at(-1)).toBe('last words')
  })

  test('[NRLOG-09] an instance that cannot be reached gets 503, a cursor that is none 400', async () => {
    const { id } = await running()
    script().failNext('logs', new DriverError('away', 'the socket /run/x.sock is gone'))
    const away = await raw('GET', `/${id}/logs`)
    expect([away.status, away.json.code, away.text.includes('sock')]).toEqual([503, 'connection_refused', false])
    for (const query of ['cursor=x', 'cursor=--1', 'limit=0', 'limit=1001', `cursor=${'1'.repeat(40)}`]) {
      expect((await raw('GET', `/${id}/logs?${query}`)).status).toBe(400)
    }
  })
})

describe('a long log', () => {
  const count = 30_000
  let id: string
  beforeAll(async () => {
    ;({ id } = await running())
    const levels = ['info', 'info', 'warn', 'error', 'debug']
    for (let n = 0; n < count; n++) script().log(id, `\u001b[32mline\u001b[0m ${n}`, levels[n % 5])
  })
  const search = async (query: object) => owner.client.call('instance.logs', { params: { instanceId: id }, query })
  const numbers = (log: { msg: string }[]) => log.map(({ msg }) => Number(msg.split(' ').at(-1)))
  const fetchFile = async (query = '') =>
    send(server.address, 'GET', `/api/v1/projects/${id}/logs/download?${query}`, { headers: { cookie: owner.cookie } })
  const download = async (query?: string) => (await fetchFile(query)).text.trimEnd().split('\n')

  test('is searched from its end, a part with each call, until everything that matches was found', async () => {
    const found: number[] = []
    let calls = 0
    for (let cursor: string | undefined, more = true; more; calls += 1) {
      const page = await search({ search: 'LINE 7', level: 'warn', limit: 1_000, ...(cursor && { cursor }) })
      found.unshift(...numbers(page.log))
      cursor = page.meta.previous_cursor
      more = cursor !== undefined
    }
    const wanted = Array.from({ length: count }, (_, n) => n).filter((n) => [2, 3].includes(n % 5) && `${n}`[0] === '7')
    expect(found).toEqual(wanted)
    const nothing = await search({ search: 'no such thing' })
    expect(nothing.log).toEqual([])
    expect(nothing.meta.previous_cursor).toBeDefined()
    expect(calls).toBeLessThan(6)
  })

  test('new lines that match follow, also when those since the last call do not', async () => {
    const first = await search({ level: 'error', limit: 2 })
    expect(numbers(first.log)).toEqual([29_993, 29_998])
    script().log(id, 'nothing bad')
    const second = await search({ level: 'error', cursor: first.meta.next_cursor! })
    expect(second.log).toEqual([])
    expect(second.meta.next_cursor).not.toBe(first.meta.next_cursor)
    script().log(id, 'this is', 'fatal')
    const third = await search({ level: 'error', cursor: second.meta.next_cursor! })
    expect(third.log.map(({ msg }) => msg)).toEqual(['this is'])
  })

  test('comes whole as a file of text, or narrowed down as one of JSON', async () => {
    const lines = await download()
    expect(lines.length).toBeGreaterThanOrEqual(count)
    expect(lines.find((line) => line.endsWith('line 17'))).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:.]{12}Z warn \[57ab\] line 17$/,
    )
    const json = (await download('format=ndjson&level=error&search=line')).map(
      (line) => JSON.parse(line) as { msg: string },
    )
    expect(numbers(json)).toEqual(Array.from({ length: count / 5 }, (_, n) => n * 5 + 3))
    const head = await fetchFile('search=nowhere')
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.log"$/)
    expect((await fetchFile('format=html')).status).toBe(400)
  })
})

describe('lists', () => {
  test('[API-110] the instances of a team come in order, by page and by name, and the count is that of all that match', async () => {
    const other = await server.build.team(owner)
    const theirs = await server.build.application(owner, other)
    const names = ['oven-a', 'oven-b', 'press-a', 'press-b', 'press-c']
    for (const name of names) await server.build.instance(owner, theirs, name)
    const list = async (query: object) =>
      owner.client.call('instance.listOfTeam', { params: { teamId: other.id }, query })
    const first = await list({ limit: 2 })
    expect([first.count, first.projects.map(({ name }) => name)]).toEqual([5, ['oven-a', 'oven-b']])
    const second = await list({ limit: 4, cursor: first.meta.next_cursor })
    expect([second.count, second.projects.map(({ name }) => name), second.meta]).toEqual([5, names.slice(2), {}])
    const found = await list({ query: 'PRESS' })
    expect([found.count, found.projects.length]).toEqual([3, 3])
    expect((await list({ search: '_' })).count).toBe(0)
    expect((await list({ search: '%' })).count).toBe(0)
  })

  test('[API-110] whole instances are as each is read by itself, and brief ones as far as a list shows them', async () => {
    const other = await server.build.team(owner)
    const theirs = await server.build.application(owner, other)
    const ids = [await server.build.runningInstance(owner, theirs), await server.build.runningInstance(owner, theirs)]
    const alone = await Promise.all(
      ids.map(async ({ id }) => owner.client.call('instance.get', { params: { instanceId: id } })),
    )
    const params = { teamId: other.id }
    expect((await owner.client.call('instance.listOfTeam', { params })).projects).toEqual(alone)
    const brief = await owner.client.call('instance.listOfTeam', { params, query: { brief: 'true' } })
    const { disableEditor } = alone[0]!.settings
    expect(brief.projects).toEqual(
      alone.map(({ id, name, url, createdAt, updatedAt, links, meta, application }) => {
        const settings = { disableEditor }
        return { id, name, url, createdAt, updatedAt, links, meta, application, settings }
      }),
    )
  })

  test('[PERM-66] a dashboard user is told what may be opened of a team, and nothing of what is in it', async () => {
    const team = await server.build.team(owner)
    const theirs = await server.build.application(owner, team)
    const plain = await server.build.runningInstance(owner, theirs)
    const board = await server.build.runningInstance(owner, theirs)
    const modules = ['node-red-dashboard', '@flowfuse/node-red-dashboard', 'node-red-node-random']
    await raw('PUT', `/${board.id}`, {
      settings: { dashboardUI: '/board', palette: { modules: modules.map((name) => ({ name, version: '*' })) } },
    })
    const viewer = await server.build.member(team, roles.dashboard)
    const params = { teamId: team.id }
    const { projects, count } = await viewer.client.call('instance.openOfTeam', { params })
    const shown = ({ id, name, url }: typeof plain) => ({ id, name, application: theirs.name, url, state: 'running' })
    expect([count, projects]).toEqual([
      2,
      [
        { ...shown(plain), dashboards: [] },
        { ...shown(board), dashboards: [`${board.url}/board`, `${board.url}/dashboard`] },
      ],
    ])
    const page = await viewer.client.call('instance.openOfTeam', { params, query: { limit: 1 } })
    expect([page.projects.length, page.meta.next_cursor]).toEqual([1, plain.id])
  })
})
