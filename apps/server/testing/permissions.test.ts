import { allows, roleName, roles } from '@app/contract'
import { expect, test } from 'vitest'
import { openServer, send, type TestTeam, type TestUser, until } from './index.ts'

const people = new Map<number, TestUser>()
const as = (role: number): TestUser => people.get(role)!

/** A team in which everybody has the role that they have in the first. */
async function teamOfAll(): Promise<TestTeam> {
  const made = await server.build.team(as(roles.owner))
  const row = (role: number) => ({ team_id: made.id, user_id: as(role).id, role, created_at: Date.now() })
  const others = [roles.dashboard, roles.viewer, roles.member].map(row)
  await server.app.database.read.insertInto('team_members').values(others).execute()
  return made
}

const server = await openServer()
const { build } = server
for (const role of [roles.dashboard, roles.viewer, roles.member, roles.owner]) people.set(role, await build.user())
people.set(roles.admin, await build.user({ admin: true }))
const team = await teamOfAll()
const empty = await teamOfAll()
const application = await build.application(as(roles.owner), team)
const instance = await build.runningInstance(as(roles.owner), application)
const body = { name: 'Oven 1', type: 'Pi', team: team.id }
const device = await as(roles.owner).client.call('device.create', { body })

const ofTeam = () => ({ params: { teamId: team.id } })
const ofInstance = () => ({ params: { instanceId: instance.id } })
const read = (id = instance.id) => as(roles.owner).client.call('instance.get', { params: { instanceId: id } })
/** In this order each has something to do. */
const actions = [
  ['suspend', 'suspended'],
  ['start', 'running'],
  ['restart', 'running'],
] as const

/** One right: the smallest role that has it, the call, and what the call changes, to be looked at from outside. */
interface Right {
  title: string
  least: number
  attempt(by: TestUser): Promise<unknown>
  /** The state that a refused call leaves unchanged. */
  trace?: () => Promise<unknown>
  /** The value that the reply, or after a change the state, then has. */
  done: () => unknown
}

/** The role below, which is refused. */
const below = new Map<number, number>([
  [roles.admin, roles.owner],
  [roles.owner, roles.member],
  [roles.member, roles.viewer],
  [roles.viewer, roles.dashboard],
])
const teamNow = async () => as(roles.owner).client.call('team.get', ofTeam())
const instances = async () =>
  (await as(roles.owner).client.call('instance.listOfTeam', ofTeam())).projects.map(({ name }) => name)
const operations = async () => (await as(roles.owner).client.call('instance.jobs', ofInstance())).jobs
const settingsNow = async () => (await read()).settings
const ofDevice = () => ({ params: { deviceId: device.id } })
const devices = async () =>
  (await as(roles.owner).client.call('device.listOfTeam', ofTeam())).devices.map(({ name }) => name)
const tokens = async () => (await as(roles.owner).client.call('provisioning.list', ofTeam())).tokens
const expiry = '2090-01-01T00:00:00.000Z'
const provisioned = async () => (await tokens()).map(({ name }) => name)
const ofToken = async () => ({ params: { teamId: team.id, tokenId: (await tokens())[0]!.id } })
/** The agent of the device says which release it is, without which there is no developer mode. */
const agentCalls = () =>
  send(server.address, 'POST', `/api/v1/devices/${device.id}/live/state`, {
    headers: { authorization: `Bearer ${device.credentials.token}` },
    body: { state: 'running', agentVersion: '4.2.1' },
  })
let doomed: { id: string; name: string } | undefined
let invited: TestUser | undefined
let member: TestUser | undefined

const rights: Right[] = [
  {
    title: '[PERM-29] team edit',
    least: roles.owner,
    attempt: (by) => by.client.call('team.update', { ...ofTeam(), body: { name: 'Example Bakery' } }),
    trace: teamNow,
    done: () => expect.objectContaining({ name: 'Example Bakery' }),
  },
  {
    title: '[PERM-30] team delete',
    least: roles.owner,
    attempt: (by) => by.client.call('team.delete', { params: { teamId: empty.id } }),
    trace: async () => (await as(roles.owner).client.call('team.mine', {})).teams.map(({ id }) => id),
    done: () => [team.id],
  },
  {
    title: '[PERM-31] team audit log',
    least: roles.owner,
    attempt: (by) => by.client.call('team.auditLog', ofTeam()),
    done: () =>
      expect.objectContaining({
        log: expect.arrayContaining([expect.objectContaining({ event: 'application.created' })]),
      }),
  },
  {
    title: '[PERM-36] [PERM-71] invite members',
    least: roles.owner,
    attempt: async (by) => {
      invited ??= await server.build.user()
      return by.client.call('invitation.create', { ...ofTeam(), body: { user: invited.username } })
    },
    trace: async () => (await as(roles.owner).client.call('invitation.listOfTeam', ofTeam())).invitations,
    done: () => [
      expect.objectContaining({
        invitee: expect.objectContaining({ username: invited!.username }),
        role: roles.member,
      }),
    ],
  },
  {
    title: '[PERM-38] [PERM-71] change of the role of a member',
    least: roles.owner,
    attempt: async (by) => {
      member ??= await server.build.member(team, roles.viewer)
      const params = { teamId: team.id, userId: member.id }
      return by.client.call('team.changeRole', { params, body: { role: roles.dashboard } })
    },
    trace: async () =>
      (await as(roles.owner).client.call('team.members', ofTeam())).members.find(({ id }) => id === member?.id)?.role,
    done: () => roles.dashboard,
  },
  {
    title: '[PERM-39] [PERM-71] project create: an application',
    least: roles.owner,
    attempt: (by) => by.client.call('application.create', { body: { name: 'Cold store', teamId: team.id } }),
    trace: async () =>
      (await as(roles.owner).client.call('application.listOfTeam', ofTeam())).applications.map(({ name }) => name),
    done: () => expect.arrayContaining(['Cold store']),
  },
  {
    title: '[PERM-39] [PERM-71] project create: an instance, or a duplicate of one',
    least: roles.owner,
    attempt: async (by) => {
      const body = { applicationId: application.id, ...(await server.build.choice()) }
      const source = { sourceProject: { id: instance.id, options: { envVars: 'keys' as const } } }
      const made = await Promise.allSettled([
        by.client.call('instance.create', { body: { ...body, name: 'oven' } }),
        by.client.call('instance.create', { body: { ...body, ...source, name: 'oven-copy' } }),
      ])
      for (const one of made) if (one.status === 'rejected') throw one.reason
      return made
    },
    trace: instances,
    done: () => expect.arrayContaining(['oven', 'oven-copy']),
  },
  {
    title: '[PERM-40] project delete',
    least: roles.owner,
    attempt: async (by) => {
      doomed ??= await server.build.runningInstance(as(roles.owner), application)
      await by.client.call('instance.delete', { params: { instanceId: doomed.id } })
      return until(instances, (names) => !names.includes(doomed!.name))
    },
    trace: instances,
    done: () => expect.not.arrayContaining([doomed!.name]),
  },
  ...actions.map(
    ([verb, state]): Right => ({
      title: `[PERM-43] project change-status: ${verb}`,
      least: roles.owner,
      attempt: async (by) => {
        await by.client.call(`instance.${verb}`, ofInstance())
        return until(operations, ([last]) => last?.kind === `instance.${verb}` && last.state === 'done')
      },
      trace: async () => [(await read()).meta.state, ...(await operations()).map(({ id }) => id)],
      done: () => expect.arrayContaining([state]),
    }),
  ),
  {
    title: '[PERM-44] project edit: settings',
    least: roles.owner,
    attempt: (by) => by.client.call('instance.update', { ...ofInstance(), body: { settings: { disableTours: true } } }),
    trace: settingsNow,
    done: () => expect.objectContaining({ disableTours: true }),
  },
  {
    title: '[PERM-44] project edit: import',
    least: roles.owner,
    attempt: (by) =>
      by.client.call('instance.import', { ...ofInstance(), body: { flows: '[{"id":"a","type":"tab"}]' } }),
    trace: async () =>
      (await as(roles.viewer).client.call('deployment.list', { ...ofInstance(), query: {} })).deployments,
    done: () => [expect.objectContaining({ kind: 'import' })],
  },
  {
    title: '[PERM-44] project edit: high availability',
    least: roles.owner,
    attempt: async (by) => {
      // The import before it is under way until then.
      await until(
        () => as(roles.owner).client.call('instance.get', ofInstance()),
        ({ meta }) => meta.state === 'running',
      )
      return by.client.call('ha.enable', { ...ofInstance(), body: { replicas: 2 } })
    },
    trace: async () => (await as(roles.viewer).client.call('instance.get', ofInstance())).ha,
    done: () => ({ replicas: 2 }),
  },
  {
    title: '[PERM-46] device create',
    least: roles.owner,
    attempt: (by) => by.client.call('device.create', { body: { name: 'Oven 2', type: 'Pi', team: team.id } }),
    trace: devices,
    done: () => ['Oven 1', 'Oven 2'],
  },
  {
    title: '[PERM-48] [DEV-14] device edit: its name',
    least: roles.owner,
    attempt: (by) => by.client.call('device.update', { ...ofDevice(), body: { name: 'Oven 1a' } }),
    trace: devices,
    done: () => ['Oven 1a', 'Oven 2'],
  },
  {
    title: '[PERM-48] [DEV-14] device edit: its name, back again',
    least: roles.owner,
    attempt: (by) => by.client.call('device.update', { ...ofDevice(), body: { name: 'Oven 1' } }),
    trace: devices,
    done: () => ['Oven 1', 'Oven 2'],
  },
  {
    title: '[PERM-48] [DEV-14] device edit: its mode',
    least: roles.owner,
    attempt: async (by) => {
      await agentCalls()
      return by.client.call('deviceDeveloper.setMode', { ...ofDevice(), body: { mode: 'developer' } })
    },
    trace: async () => (await as(roles.viewer).client.call('device.get', ofDevice())).mode,
    done: () => 'developer',
  },
  {
    title: '[PERM-32] provisioning token create',
    least: roles.owner,
    attempt: (by) => by.client.call('provisioning.create', { ...ofTeam(), body: { name: 'Line 1' } }),
    trace: provisioned,
    done: () => ['Line 1'],
  },
  {
    title: '[PERM-34] provisioning token list',
    least: roles.owner,
    attempt: (by) => by.client.call('provisioning.list', ofTeam()),
    done: () => expect.objectContaining({ tokens: [expect.objectContaining({ name: 'Line 1' })] }),
  },
  {
    title: '[PERM-33] provisioning token edit',
    least: roles.owner,
    attempt: async (by) => by.client.call('provisioning.update', { ...(await ofToken()), body: { expiresAt: expiry } }),
    trace: async () => (await tokens()).map(({ expiresAt }) => expiresAt),
    done: () => [expiry],
  },
  {
    title: '[PERM-35] provisioning token delete',
    least: roles.owner,
    attempt: async (by) => by.client.call('provisioning.delete', await ofToken()),
    trace: provisioned,
    done: () => [],
  },
  {
    title: '[PERM-47] device delete',
    least: roles.owner,
    attempt: async (by) => {
      const all = (await as(roles.owner).client.call('device.listOfTeam', ofTeam())).devices
      const { id } = all.find(({ name }) => name === 'Oven 2')!
      return by.client.call('device.delete', { params: { deviceId: id } })
    },
    trace: devices,
    done: () => ['Oven 1'],
  },
  {
    title: '[PERM-55] device env edit',
    least: roles.member,
    attempt: (by) =>
      by.client.call('device.saveSettings', { ...ofDevice(), body: { env: [{ name: 'SITE', value: 'bakery' }] } }),
    trace: async () => (await as(roles.owner).client.call('device.settings', ofDevice())).env,
    done: () => expect.arrayContaining([{ name: 'SITE', value: 'bakery' }]),
  },
  {
    title: '[PERM-58] team devices list',
    least: roles.viewer,
    attempt: (by) => by.client.call('device.listOfTeam', ofTeam()),
    done: () => expect.objectContaining({ devices: [expect.objectContaining({ id: device.id })] }),
  },
  {
    title: '[PERM-64] device read',
    least: roles.viewer,
    attempt: (by) => by.client.call('device.get', ofDevice()),
    done: () => expect.objectContaining({ id: device.id, name: 'Oven 1' }),
  },
  {
    title: '[PERM-19] devices of the platform',
    least: roles.admin,
    attempt: (by) => by.client.call('device.list', {}),
    done: () => expect.objectContaining({ devices: [expect.objectContaining({ id: device.id })] }),
  },
  {
    title: '[PERM-49] project env edit',
    least: roles.member,
    attempt: (by) =>
      by.client.call('instance.update', {
        ...ofInstance(),
        body: { settings: { env: [{ name: 'SITE', value: 'bakery' }] } },
      }),
    trace: settingsNow,
    done: () =>
      expect.objectContaining({
        env: expect.arrayContaining([expect.objectContaining({ name: 'SITE', value: 'bakery' })]),
      }),
  },
  {
    title: '[PERM-56] team user list',
    least: roles.viewer,
    attempt: (by) => by.client.call('team.members', ofTeam()),
    done: () =>
      expect.objectContaining({ members: expect.arrayContaining([expect.objectContaining({ role: roles.owner })]) }),
  },
  {
    title: '[PERM-57] team projects list',
    least: roles.viewer,
    attempt: (by) => by.client.call('instance.listOfTeam', ofTeam()),
    done: () =>
      expect.objectContaining({ projects: expect.arrayContaining([expect.objectContaining({ id: instance.id })]) }),
  },
  {
    title: '[PERM-59] project read',
    least: roles.viewer,
    attempt: (by) => by.client.call('instance.get', ofInstance()),
    done: () => expect.objectContaining({ id: instance.id, name: instance.name }),
  },
  {
    title: '[PERM-60] project log',
    least: roles.viewer,
    attempt: (by) => by.client.call('instance.logs', ofInstance()),
    done: () => expect.objectContaining({ log: expect.any(Array) }),
  },
  {
    title: '[PERM-61] project audit log',
    least: roles.viewer,
    attempt: (by) => by.client.call('instance.auditLog', ofInstance()),
    done: () =>
      expect.objectContaining({ log: expect.arrayContaining([expect.objectContaining({ event: 'project.created' })]) }),
  },
]

test.each(rights.map((right) => ({ ...right, least: roleName(right.least), number: right.least })))(
  '$title: refused below $least, and done as $least',
  async ({ number, attempt, trace, done }) => {
    const replies: unknown[] = []
    const look = trace ?? (async () => replies[0])
    await expect(attempt(as(below.get(number)!))).rejects.toMatchObject({ status: 403, code: 'unauthorized' })
    // The attempt's objects are made with the first of them.
    const before = await look()
    await expect(attempt(as(below.get(number)!))).rejects.toMatchObject({ status: 403, code: 'unauthorized' })
    expect(await look()).toEqual(before)
    replies.push(await attempt(as(number)))
    const after = await look()
    expect(after).not.toEqual(before)
    expect(after).toEqual(done())
  },
)

test('[PERM-02] [PERM-65] administrators, owners, members, viewers and dashboard users reach what is theirs and no more', async () => {
  const reached = async ({ client }: TestUser): Promise<string[]> => {
    const probes = {
      team: client.call('team.get', ofTeam()),
      instance: client.call('instance.get', ofInstance()),
      library: client.call('library.get', { params: { teamId: team.id, '*': '' } }),
      'audit log of the team': client.call('team.auditLog', ofTeam()),
      'users of the platform': client.call('user.list', {}),
    }
    const answers = await Promise.allSettled(Object.values(probes))
    return Object.keys(probes).filter((_name, n) => answers[n]!.status === 'fulfilled')
  }
  const all = ['team', 'instance', 'library', 'audit log of the team', 'users of the platform']
  expect(await reached(await server.build.user())).toEqual([])
  expect(await reached(as(roles.dashboard))).toEqual(all.slice(0, 1))
  expect(await reached(as(roles.viewer))).toEqual(all.slice(0, 2))
  expect(await reached(as(roles.member))).toEqual(all.slice(0, 3))
  expect(await reached(as(roles.owner))).toEqual(all.slice(0, 4))
  expect(await reached(as(roles.admin))).toEqual(all)
})

test('[PERM-14] to put somebody into a team is for administrators by the table, and no call does it for an owner', async () => {
  expect([roles.owner, roles.admin].map((role) => allows(role, 'team:user:add'))).toEqual([false, true])
  const { id } = await server.build.user()
  const members = async () => (await as(roles.owner).client.call('team.members', ofTeam())).count
  const before = await members()
  const request = { headers: { cookie: as(roles.owner).cookie }, body: { userId: id, role: roles.viewer } }
  expect((await send(server.address, 'POST', `/api/v1/teams/${team.id}/members`, request)).status).toBe(404)
  expect(await members()).toBe(before)
})
