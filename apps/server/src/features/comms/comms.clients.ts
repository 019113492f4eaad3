import { mayPublish, maySubscribe, type Switches, type TopicRights } from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { Config } from '../../config.ts'
import type { Clock } from '../../platform/clock.ts'
import { newToken, sameSecret, type Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Bus } from '../../platform/events/bus.ts'
import type { Tx } from '../../platform/db/tables.ts'
import {
  deviceRights,
  instanceRights,
  isOwnClientId,
  platformRights,
  platformUser,
  usernameOf,
} from './comms.rights.ts'
import { addClient, findClients, findPassword, type FoundClient, listClients, putClient } from './comms.store.ts'

export interface Credentials {
  url: string
  username: string
  password: string
}

/** A user of the broker with password and rights. */
export interface BrokerUser {
  username: string
  password: string
  rights: TopicRights
}

export interface ClientsDependencies {
  database: Database
  clock: Clock
  vault: Vault
  bus: Bus
  config: Config
  baseUrl: string
}

/** Where the broker answers on the console's own address. */
export const brokerPath = '/mqtt'
export const passwordContext = (username: string) => `broker:${username}:password`

/** Questions of a broker that come close together become one query. */
const gatherMs = 5
const gatherMax = 500
const pageSize = 500

export type BrokerClients = ReturnType<typeof createBrokerClients>

/** The users of the broker: devices, instances and the platform, with their passwords and rights. */
export function createBrokerClients({ database, clock, vault, bus, config, baseUrl }: ClientsDependencies) {
  const { broker, features } = config
  const isOn = broker !== undefined
  const platformPassword = broker?.password ?? randomBytes(32).toString('base64url')
  const find = createGather((usernames) => findClients(database.read, usernames))

  const newRow = (username: string, owner: { device_id: string } | { instance_id: string }) => {
    const password = newToken('device_id' in owner ? 'ffbd' : 'ffbp')
    const row = {
      username,
      device_id: null,
      instance_id: null,
      ...owner,
      password: vault.seal(password, passwordContext(username)),
      created_at: clock.now(),
    }
    return { password, row }
  }
  const userOf = (found: FoundClient): BrokerUser[] => {
    const rights = rightsOfFound(found, features)
    const { username, password } = found
    return rights ? [{ username, password: vault.open(password, passwordContext(username)), rights }] : []
  }
  const publicUrl = broker?.publicUrl ?? broker?.url ?? `${baseUrl.replace(/^http/, 'ws')}${brokerPath}`

  return {
    isOn,
    platformPassword,
    /** Address of the broker from elsewhere. */
    publicUrl,

    /** New credentials of a device, together with the address of the broker; undefined without a broker. */
    async renewDevice(tx: Tx, device: { id: string; teamId: string }): Promise<Credentials | undefined> {
      if (!isOn) return undefined
      const username = usernameOf('device', device.teamId, device.id)
      const { row, password } = newRow(username, { device_id: device.id })
      await putClient(tx, row)
      await bus.publish(tx, { type: 'comms', users: [username], dropped: true })
      return { url: publicUrl, username, password }
    },

    /** The credentials of an instance, made when it asks first; undefined when messages are switched off. */
    async ofInstance(instance: { id: string; teamId: string }): Promise<Omit<Credentials, 'url'> | undefined> {
      if (!isOn || !features.projectComms) return undefined
      const username = usernameOf('project', instance.teamId, instance.id)
      const known = await findPassword(database.read, username)
      if (known !== undefined) return { username, password: vault.open(known, passwordContext(username)) }
      const { row } = newRow(username, { instance_id: instance.id })
      // Two of its processes may ask at once.
      const sealed = await database.transact(async (tx) => {
        await addClient(tx, row)
        await bus.publish(tx, { type: 'comms', users: [username] })
        return (await findPassword(tx, username))!
      })
      return { username, password: vault.open(sealed, passwordContext(username)) }
    },

    /** The users of these names, without those who may not connect. */
    usersOf: async (usernames: readonly string[]): Promise<BrokerUser[]> =>
      (await findClients(database.read, usernames)).flatMap(userOf),

    /** Everybody who may connect, in pages. */
    async *users(): AsyncGenerator<BrokerUser[]> {
      for (let after = ''; ; ) {
        const page = await listClients(database.read, { after, limit: pageSize })
        yield page.flatMap(userOf)
        if (page.length < pageSize) return
        after = page.at(-1)!.username
      }
    },

    /**
     * The rights of a client; null: unknown, or the password is another. Without a password, those of one that is
     * connected. @throws Error when the database cannot say.
     */
    async rightsOf(client: { username: string; clientId: string; password?: string }): Promise<TopicRights | null> {
      const { username, clientId, password } = client
      if (!isOn || !isOwnClientId(username, clientId)) return null
      if (username === platformUser)
        return password === undefined || sameSecret(password, platformPassword) ? platformRights : null
      const found = await find(username)
      if (!found) return null
      if (password !== undefined && !sameSecret(password, vault.open(found.password, passwordContext(username))))
        return null
      return rightsOfFound(found, features)
    },
  }
}

/** May this client do that with the topic? */
export const mayUse = (rights: TopicRights, topic: string, isPublishing: boolean): boolean =>
  isPublishing ? mayPublish(rights, topic) : maySubscribe(rights, topic)

function rightsOfFound(found: FoundClient, features: Switches): TopicRights | null {
  const { username, device_id, device_team, assigned_id, instance_id, instance_team } = found
  // The team is in the name: nobody keeps a name of a team that they left.
  if (device_id !== null && device_team !== null && username === usernameOf('device', device_team, device_id))
    return deviceRights(device_team, device_id, assigned_id, features.projectComms)
  if (instance_id !== null && instance_team !== null && username === usernameOf('project', instance_team, instance_id))
    return instanceRights(instance_team, instance_id, features.projectComms)
  return null
}

/** Looks names up together that are asked for within a moment. */
function createGather(find: (names: readonly string[]) => Promise<FoundClient[]>) {
  let waiting: { names: Set<string>; found: Promise<Map<string, FoundClient>> } | undefined
  return async (name: string): Promise<FoundClient | undefined> => {
    if (!waiting || waiting.names.size >= gatherMax) {
      const names = new Set<string>()
      const later = new Promise((resolve) => setTimeout(resolve, gatherMs))
      const mine = {
        names,
        found: later.then(async () => {
          if (waiting === mine) waiting = undefined
          return new Map((await find([...names])).map((row) => [row.username, row]))
        }),
      }
      waiting = mine
    }
    waiting.names.add(name)
    return (await waiting.found).get(name)
  }
}
