import type { Device, DeviceCredentials, Instance, Snapshot, Team } from '@app/contract'
import { beforeAll, beforeEach } from 'vitest'
import { createOwnerOf } from './instances.ts'
import type { Person } from './people.ts'
import type { Platform } from './platform.ts'

interface Bakery {
  owner: Person
  team: Team
  instance: Instance
  /** Two of the instance, by their names: “Runs well” and “Runs better”. */
  snapshots: Record<string, Snapshot>
}

/** A team with an instance and two snapshots of it. Each test begins without a device. */
export function useDevices(platform: () => Platform) {
  const bakery = { snapshots: {} } as Bakery
  const tokens: Record<string, string> = {}

  const all = async (): Promise<Device[]> => {
    const { owner, team } = bakery
    return (await owner.client.call('device.listOfTeam', { params: { teamId: team.id }, query: { limit: 100 } }))
      .devices
  }
  const find = async (name: string) => (await all()).find((one) => one.name === name)!

  beforeAll(async () => {
    Object.assign(bakery, await createOwnerOf('oven-line', platform()))
    const { owner, team, instance } = bakery
    await owner.client.call('application.create', { body: { name: 'Mixing', teamId: team.id } })
    for (const name of ['Runs well', 'Runs better']) {
      const body = { name, flows: [{ id: 'a', type: 'tab', label: 'Heat' }], credentials: {}, credentialSecret: '' }
      bakery.snapshots[name] = await owner.client.call('snapshot.create', { params: { instanceId: instance.id }, body })
    }
  })
  beforeEach(async () => {
    for (const { id } of await all()) await bakery.owner.client.call('device.delete', { params: { deviceId: id } })
  })

  /** Adds a device past the screens. */
  async function add(name: string, type = ''): Promise<Device & { credentials: DeviceCredentials }> {
    const made = await bakery.owner.client.call('device.create', { body: { name, type, team: bakery.team.id } })
    tokens[name] = made.credentials.token
    return made
  }
  /** The same, in the instance. */
  async function addAssigned(name: string): Promise<string> {
    const { id } = await add(name)
    await bakery.owner.client.call('device.update', {
      params: { deviceId: id },
      body: { instance: bakery.instance.id },
    })
    return id
  }
  /** Says what an agent says of its device; the status of the answer. */
  async function report(name: string, body: object): Promise<number> {
    const { id } = await find(name)
    const reply = await fetch(`http://127.0.0.1:${platform().port}/api/v1/devices/${id}/live/state`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens[name]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ state: 'running', agentVersion: '1.9.4', ...body }),
    })
    return reply.status
  }
  return { bakery, tokens, find, add, addAssigned, report }
}
