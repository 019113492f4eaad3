import { randomBytes } from 'node:crypto'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createDatabase } from '../../../../../tools/test/postgres.ts'
import {
  clientWith,
  openPlatform,
  openStream,
  password,
  send,
  startServer,
  type Stream,
  type TestServer,
  type TestTeam,
  type TestUser,
  until,
} from '../../../testing/index.ts'
import { readKeyFile } from '../../platform/keys/key.file.ts'

/** Servers of one database have one key. */
const keyOf = ({ config }: TestServer) => readKeyFile(config.home)!

const postgres = process.env.TEST_DATABASE === 'postgres'
let open: Stream[] = []

const { server, owner, team, admin } = await openPlatform()
afterEach(() => {
  vi.useRealTimers()
  for (const stream of open) stream.close()
  open = []
})

async function listen(user: { cookie: string }, query = '', address = server.address): Promise<Stream> {
  const stream = await openStream(address, { cookie: user.cookie }, query)
  open.push(stream)
  return stream
}
const change = (of: TestTeam, user: TestUser) =>
  user.client.call('team.update', {
    params: { teamId: of.id },
    body: { name: `Name ${crypto.randomUUID().slice(0, 8)}` },
  })
const heardOf = (stream: Stream, of: TestTeam) => stream.heard((event) => event.team === of.id)
const get = (headers: Record<string, string>) => send(server.address, 'GET', '/api/v1/events', { headers })
/** Holds the next answer about who may watch which teams until `end`. */
function holdTeams() {
  const { teams } = server.app.services
  const { membershipsOf } = teams
  const [began, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  teams.membershipsOf = async (...asked) => {
    teams.membershipsOf = membershipsOf
    const ids = await membershipsOf(...asked)
    began.resolve()
    await held.promise
    return ids
  }
  return { began: began.promise, end: held.resolve }
}
const ended = (stream: Stream) =>
  until(
    async () => stream.ended(),
    (over) => over,
    2_000,
  )

test('one person has at most fifty streams open, and another when one of them ends', async () => {
  const user = await server.build.user()
  const streams = await Promise.all(Array.from({ length: 50 }, () => listen(user)))
  const refused = await get({ cookie: user.cookie })
  expect(refused).toMatchObject({ status: 429, json: { code: 'too_many_requests' } })
  expect(refused.headers.get('retry-after')).toBe('20')
  await listen(owner)
  streams[0]!.close()
  await until(
    () =>
      listen(user).then(
        () => true,
        () => false,
      ),
    (heard) => heard,
  )
})

describe('who hears what', () => {
  test('a stream tells of the teams of its user and of no other', async () => {
    const stranger = await server.build.user()
    const theirs = await server.build.team(stranger)
    const [mine, other] = [await listen(owner), await listen(stranger)]
    await change(team, owner)
    await change(theirs, stranger)
    await Promise.all([heardOf(mine, team), heardOf(other, theirs)])
    expect(mine.events.every((event) => event.team === team.id)).toBe(true)
    expect(other.events.every((event) => event.team === theirs.id)).toBe(true)
  })

  test('a stream for one team tells of that team, and of joining another', async () => {
    const user = await server.build.user()
    const [shown, other] = [await server.build.team(user), await server.build.team(user)]
    const [stream, all] = [await listen(user, `?team=${shown.id}`), await listen(user)]
    await change(other, user)
    await change(shown, user)
    await Promise.all([heardOf(stream, shown), heardOf(all, other)])
    expect(stream.events.every((event) => event.team === shown.id)).toBe(true)
    await owner.client.call('invitation.create', { params: { teamId: team.id }, body: { user: user.username } })
    const [invitation] = (await user.client.call('invitation.mine')).invitations
    await user.client.call('invitation.accept', { params: { invitationId: invitation!.id } })
    await heardOf(stream, team)
  })

  test('changes that come close together are told once', async () => {
    const stream = await listen(owner)
    const changes = 20
    await Promise.all(Array.from({ length: changes }, () => change(team, owner)))
    await heardOf(stream, team)
    await server.build.application(owner, team)
    await stream.heard((event) => event.type === 'audit')
    // Pages need to know that something changed, not how often.
    expect(stream.events.filter(({ type }) => type === 'team').length).toBeLessThan(changes)
  })

  test('a change of a team costs no query more for those who hear of it', async () => {
    const queriesOfChange = async () => {
      server.queries.worst.clear()
      await change(team, owner)
      return server.queries.worst.get('PUT /api/v1/teams/:teamId')
    }
    const alone = await queriesOfChange()
    const streams = await Promise.all(Array.from({ length: 5 }, () => listen(owner)))
    expect(await queriesOfChange()).toBe(alone)
    for (const stream of streams) await heardOf(stream, team)
  })

  test('a dashboard user hears nothing of the instances of the team', async () => {
    const stream = await listen(await server.build.member(team, 5))
    const viewer = await listen(await server.build.member(team, 10))
    await change(team, owner)
    await heardOf(viewer, team)
    expect(stream.events).toEqual([])
  })

  test('a visiting administrator names the team; naming it helps nobody else', async () => {
    const [visiting, elsewhere] = [await listen(admin, `?team=${team.id}`), await listen(admin)]
    const stranger = await listen(await server.build.user(), `?team=${team.id}`)
    await change(team, owner)
    await heardOf(visiting, team)
    expect([elsewhere.events, stranger.events]).toEqual([[], []])
  })

  test('whoever is added hears of the team from then on, whoever is removed no more', async () => {
    const user = await server.build.user()
    const stream = await listen(user)
    await owner.client.call('invitation.create', { params: { teamId: team.id }, body: { user: user.username } })
    const [invitation] = (await user.client.call('invitation.mine')).invitations
    await user.client.call('invitation.accept', { params: { invitationId: invitation!.id } })
    await change(team, owner)
    await heardOf(stream, team)
    await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: user.id } })
    const witness = await listen(owner)
    const before = stream.events.length
    await change(team, owner)
    await witness.heard((event) => event.type === 'team')
    await server.build.application(owner, team)
    expect(stream.events.slice(before).filter((event) => event.type === 'team')).toEqual([])
  })

  test('whoever joins two teams in one moment is told of both', async () => {
    const user = await server.build.user()
    const stream = await listen(user)
    const joined = [await server.build.team(owner), await server.build.team(owner)]
    const { database, bus } = server.app
    await database.transact(async (tx) => {
      for (const { id } of joined) {
        const row = { team_id: id, user_id: user.id, role: 30, created_at: Date.now() } as const
        await tx.insertInto('team_members').values(row).execute()
        await bus.publish(tx, { type: 'team', team: id, member: user.id })
      }
    })
    await Promise.all(joined.map((one) => heardOf(stream, one)))
  })

  test('whoever is removed while their teams are read hears no more of the team', async () => {
    const user = await server.build.member(team, 30)
    const [stream, witness] = [await listen(user), await listen(owner)]
    const reading = holdTeams()
    const { database, bus } = server.app
    await database.transact((tx) => bus.publish(tx, { type: 'session', user: user.id }))
    await reading.began
    await owner.client.call('team.removeMember', { params: { teamId: team.id, userId: user.id } })
    await heardOf(witness, team)
    await owner.client.call('account.get')
    reading.end()
    const [before, told] = [stream.events.length, witness.events.length]
    await change(team, owner)
    await server.build.application(owner, team)
    await until(
      async () => witness.events.slice(told).some(({ type }) => type === 'audit'),
      (heard) => heard,
    )
    expect(stream.events.slice(before)).toEqual([])
  })

  test('nothing is told of what was undone', async () => {
    const stream = await listen(owner)
    const { database, bus } = server.app
    const undone = database.transact(async (tx) => {
      await bus.publish(tx, { type: 'audit', team: team.id, scope: 'team', id: 'undone' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await change(team, owner)
    await heardOf(stream, team)
    expect(JSON.stringify(stream.events)).not.toContain('undone')
  })
})

describe('who may listen', () => {
  test('a session is needed, and a browser must come from the console', async () => {
    expect((await get({})).status).toBe(401)
    expect((await get({ cookie: 'sid=wrong' })).status).toBe(401)
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.localhost' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      const { status, json } = await get({ cookie: owner.cookie, ...headers })
      expect([status, json.code]).toEqual([403, 'cross_origin'])
    }
    const own = await openStream(server.address, { cookie: owner.cookie, origin: server.config.baseUrl })
    expect(own.headers.get('access-control-allow-origin')).toBeNull()
    expect(own.headers.get('x-content-type-options')).toBe('nosniff')
    expect(own.headers.get('cache-control')).toBe('no-store')
    own.close()
  })

  test('[ACCT-46] a stream ends at once when its session does: signed out, revoked, or after a new password', async () => {
    const user = await server.build.user()
    const login = { username: user.username, password }
    const session = async () => {
      const answer = await send(server.address, 'POST', '/account/login', { body: login })
      const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!
      return { cookie, client: clientWith(server.address, 'cookie', cookie) }
    }
    const [first, second, third] = [await session(), await session(), await session()]
    const streams = [await listen(first), await listen(second), await listen(third)]
    await first.client.call('account.logout')
    await ended(streams[0]!)
    const { sessions } = await third.client.call('account.sessions')
    // The session that the builder opened is the oldest; the second sign-in stands before it.
    await third.client.call('account.endSession', { params: { sessionId: sessions[1]!.id } })
    await ended(streams[1]!)
    const fourth = await session()
    await fourth.client.call('account.changePassword', {
      body: { old_password: login.password, password: 'another good one' },
    })
    await ended(streams[2]!)
    expect((await get({ cookie: third.cookie })).status).toBe(401)
  })

  test('[ACCT-46] a stream ends at once when its session does while it is being opened', async () => {
    const user = await server.build.user()
    const reading = holdTeams()
    const opening = listen(user)
    await reading.began
    await user.client.call('account.logout')
    reading.end()
    await ended(await opening)
  })

  test('a stream ends within a heartbeat when its user is suspended; a heartbeat keeps the others open', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const user = await server.build.user()
    const [stream, other] = [await listen(user), await listen(owner)]
    await server.app.database.read.updateTable('users').set({ suspended: 1 }).where('id', '=', user.id).execute()
    await vi.advanceTimersByTimeAsync(20_000)
    await ended(stream)
    await change(team, owner)
    await heardOf(other, team)
    expect(other.ended()).toBe(false)
  })

  test('a database that is away for a moment ends neither the stream nor the server', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const stream = await listen(owner)
    const { ownSessions } = server.app.services
    const { signedIn } = ownSessions
    const asked = Promise.withResolvers<void>()
    ownSessions.signedIn = async () => {
      asked.resolve()
      throw new Error('the database is away')
    }
    await vi.advanceTimersByTimeAsync(20_000)
    await asked.promise
    ownSessions.signedIn = signedIn
    await change(team, owner)
    await heardOf(stream, team)
    expect(stream.ended()).toBe(false)
  })
})

if (postgres) {
  /** Stands before the database, so that a test can cut every connection, and refuse new ones. */
  async function createCut(url: string) {
    const target = new URL(url)
    const sockets = new Set<Socket>()
    let away = false
    const relay: Server = createServer((socket) => {
      if (away) return void socket.destroy()
      const there = connect(`${target.searchParams.get('host')}/.s.PGSQL.5432`)
      for (const [one, two] of [
        [socket, there],
        [there, socket],
      ] as const) {
        sockets.add(one)
        one.pipe(two)
        one.on('error', () => undefined).on('close', () => two.destroy())
      }
    })
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
    const { port } = relay.address() as AddressInfo
    return {
      url: `postgres://forge@127.0.0.1:${port}${target.pathname}`,
      down: () => {
        away = true
        for (const socket of sockets) socket.destroy()
      },
      up: () => void (away = false),
      close: () => new Promise((resolve) => relay.close(resolve)),
    }
  }

  describe('several servers on one PostgreSQL', () => {
    test('what one changes the other tells; a session that ends here ends its streams there', async () => {
      const two = await startServer({ config: { databaseUrl: server.config.databaseUrl!, secretKey: keyOf(server) } })
      const [here, there] = [await listen(owner), await listen(owner, '', two.address)]
      await change(team, owner)
      await Promise.all([heardOf(here, team), heardOf(there, team)])
      const user = await server.build.user()
      const stream = await listen(user, '', two.address)
      await user.client.call('account.logout')
      await ended(stream)
      await two.close()
    })

    test('two that start at once on an empty database both come up', async () => {
      const databaseUrl = await createDatabase(process.env.TEST_POSTGRES_URL!)
      const secretKey = randomBytes(32)
      const start = async () => startServer({ config: { databaseUrl, secretKey } })
      const made = await Promise.all(Array.from({ length: 4 }, start))
      const names = await made[0]!.app.database.read.selectFrom('users').select('id').execute()
      expect(names).toEqual([])
      for (const one of made) await one.close()
    })

    test('connections that are lost are made again, the server lives on, and streams are told of the gap', async () => {
      const cut = await createCut(server.config.databaseUrl!)
      const two = await startServer({ config: { databaseUrl: cut.url, secretKey: keyOf(server) } })
      const stream = await listen(owner, '', two.address)
      cut.down()
      const away = await send(two.address, 'GET', '/api/v1/user', { headers: { cookie: owner.cookie } })
      expect([away.status, away.json.code]).toEqual([503, 'database_unavailable'])
      // Longer than the time after which it tries again, so that the first try fails as well.
      await new Promise((resolve) => setTimeout(resolve, 1_200))
      expect(stream.signs).not.toContain('gap')
      cut.up()
      await until(
        async () => stream.signs.includes('gap'),
        (told) => told,
      )
      await change(team, owner)
      await heardOf(stream, team)
      expect((await send(two.address, 'GET', '/api/v1/user', { headers: { cookie: owner.cookie } })).status).toBe(200)
      two.faults.splice(0)
      stream.close()
      await two.close()
      await cut.close()
    })
  })
}
