import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import * as z from 'zod/mini'
import { aclsOf } from './mosquitto.acls.ts'
import { type Command, CommandRefused, createMosquittoControl } from './mosquitto.control.ts'
import type { BrokerClients, BrokerUser } from './comms.clients.ts'
import { platformRights, platformUser } from './comms.rights.ts'

/** Digests of the password and of the role that Mosquitto has for a user. */
interface Known {
  password?: string
  role?: string
}

const controlTopics = '$CONTROL/dynamic-security/#'
const pageSize = 100
const againMs = 5_000
/** Our users by their names; all others are the operator's. */
const isOurs = (name: string) => /^(device|project):/.test(name)

const Described = z.object({ textdescription: z.optional(z.string()) })
const Given = z.object({ roles: z.array(z.object({ rolename: z.string() })) })
const Clients = z.object({ clients: z.array(z.extend(Described, { username: z.string(), ...Given.shape })) })
const Roles = z.object({ roles: z.array(z.extend(Described, { rolename: z.string() })) })
const Own = z.object({ client: Given })
const isGiven = ({ roles }: z.infer<typeof Given>, name: string) => roles.some(({ rolename }) => rolename === name)

export interface MosquittoOptions {
  url: string
  password: string
  clients: Pick<BrokerClients, 'users' | 'usersOf'>
  log: Logger
}

export type Mosquitto = ReturnType<typeof createMosquitto>

/**
 * Keeps the dynamic security of a Mosquitto in step with the users of the broker: a client and a role of the same name for each.
 * Mosquitto keeps them on its disk, so devices and instances connect also while no server is there. What it has is
 * compared by digests in the descriptions: those of roles can change without ending connections.
 */
export function createMosquitto({ url, password, clients, log }: MosquittoOptions) {
  const known = new Map<string, Known>()
  /** Users that may have changed. They come before the rest. */
  const changed = new Set<string>()
  let isComparing = false
  /** Why Mosquitto may lack a change; undefined once it has all. */
  let fault: string | undefined = 'its users were not compared yet'
  let isOver = false
  let isRunning = false
  /** Refusals of Mosquitto in this run. The other users are not kept waiting for them. */
  const refusals: string[] = []
  /** The comparison that a failure has made due. Changes of other users meanwhile do not replace it. */
  let again: NodeJS.Timeout | undefined

  const control = createMosquittoControl({ url, password, log, onConnect: () => compare() })

  /** Has all users compared with what Mosquitto has. */
  function compare(): void {
    clearTimeout(again)
    again = undefined
    isComparing = true
    work()
  }

  function work(): void {
    if (isRunning || isOver || !control.isConnected()) return
    isRunning = true
    run().catch((error: unknown) => {
      isRunning = false
      if (isOver) return
      fault = error instanceof Error ? error.message : String(error)
      log.warn({ err: error }, 'the users of Mosquitto could not be brought up to date')
      clearTimeout(again)
      again = setTimeout(compare, againMs)
    })
  }

  async function run(): Promise<void> {
    refusals.length = 0
    while (!isOver && (isComparing || changed.size > 0)) {
      if (isComparing) {
        isComparing = false
        const has = await roles()
        await putPlatform(has.get(platformUser))
        await read(has)
        const gone = new Set(known.keys())
        for await (const page of clients.users())
          for (const user of page) {
            gone.delete(user.username)
            await putChanged()
            await unlessRefused(put(user))
          }
        // Looked up again: a user may have been added meanwhile.
        for (const name of gone) changed.add(name)
      }
      await putChanged()
    }
    if (refusals.length > 0) throw new Error(refusals[0])
    // Nothing may come between the last look and this.
    isRunning = false
    if (again === undefined) fault = undefined
  }

  async function putChanged(): Promise<void> {
    while (changed.size > 0) {
      const names = [...changed].slice(0, pageSize)
      for (const name of names) changed.delete(name)
      const users = new Map((await clients.usersOf(names)).map((user) => [user.username, user]))
      for (const name of names) {
        const user = users.get(name)
        await unlessRefused(user ? put(user) : remove(name))
      }
    }
  }

  async function unlessRefused(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!(error instanceof CommandRefused)) throw error
      refusals.push(error.message)
    }
  }

  async function put({ username, password: secret, rights }: BrokerUser): Promise<void> {
    const acls = aclsOf(rights)
    const wanted = { password: digestOf(`${username} ${secret}`), role: digestOf(JSON.stringify(acls)) }
    const has = known.get(username) ?? {}
    const commands: Command[] = []
    if (has.role !== wanted.role)
      commands.push({
        command: has.role === undefined ? 'createRole' : 'modifyRole',
        rolename: username,
        textdescription: wanted.role,
        acls,
      })
    const client = { username, password: secret, textdescription: wanted.password }
    // Version 2.0 crashes once a role is deleted that `createClient` gave.
    if (has.password === undefined)
      commands.push({ command: 'createClient', ...client }, { command: 'addClientRole', username, rolename: username })
    else if (has.password !== wanted.password)
      commands.push({ command: 'modifyClient', ...client, roles: [{ rolename: username }] })
    if (commands.length === 0) return
    await control.run(...commands)
    known.set(username, wanted)
  }

  async function remove(username: string): Promise<void> {
    const has = known.get(username)
    if (!has) return
    const commands: Command[] = []
    if (has.password !== undefined) commands.push({ command: 'deleteClient', username })
    if (has.role !== undefined) commands.push({ command: 'deleteRole', rolename: username })
    await control.run(...commands)
    known.delete(username)
  }

  /**
   * Gives the platform a role of its own, before that of the administrator. Mosquitto ends its connections when it gets the role, and the
   * comparison begins anew. `has` is the digest of the role that is there.
   */
  async function putPlatform(has: string | undefined): Promise<void> {
    const { publish, subscribe } = platformRights
    const acls = aclsOf({ publish: [...publish, controlTopics], subscribe: [...subscribe, controlTopics] })
    const role = { rolename: platformUser, textdescription: digestOf(JSON.stringify(acls)), acls }
    if (has === undefined) await control.run({ command: 'createRole', ...role })
    else if (has !== role.textdescription) await control.run({ command: 'modifyRole', ...role })
    const [own] = await control.run({ command: 'getClient', username: platformUser })
    if (isGiven(Own.parse(own).client, platformUser)) return
    await control.run({ command: 'addClientRole', username: platformUser, rolename: platformUser, priority: 10 })
  }

  /** Reads the clients that Mosquitto has for our users, and takes their roles from those that were read. */
  async function read(has: ReadonlyMap<string, string>): Promise<void> {
    known.clear()
    for await (const page of pages('listClients'))
      for (const client of Clients.parse(page).clients) {
        const { username, textdescription = '' } = client
        // One without its role is set anew as after a change of its password: that gives the role as well.
        if (isOurs(username)) known.set(username, { password: isGiven(client, username) ? textdescription : '' })
      }
    for (const [name, role] of has) if (isOurs(name)) known.set(name, { ...known.get(name), role })
  }

  /** The digests of all roles, by their names. */
  async function roles(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for await (const page of pages('listRoles'))
      for (const { rolename, textdescription = '' } of Roles.parse(page).roles) found.set(rolename, textdescription)
    return found
  }

  async function* pages(command: string): AsyncGenerator<Record<string, unknown> | undefined> {
    for (let offset = 0; ; offset += pageSize) {
      const [data] = await control.run({ command, verbose: true, count: pageSize, offset })
      yield data
      if (offset + pageSize >= Number(data?.totalCount ?? 0)) return
    }
  }

  return {
    start: () => control.start(),
    /** These users may have changed; all without names. */
    recheck(usernames?: readonly string[]): void {
      if (!usernames) return compare()
      for (const name of usernames) changed.add(name)
      work()
    },
    /** Does Mosquitto have what it shall have? False while changes are under way, or without a connection. */
    isInStep: () => control.isConnected() && fault === undefined && !isRunning && changed.size === 0,
    /** The reason why changes do not reach it; undefined while they are under way or done. */
    fault: () => fault,
    async stop(): Promise<void> {
      isOver = true
      clearTimeout(again)
      await control.stop()
    },
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url')
