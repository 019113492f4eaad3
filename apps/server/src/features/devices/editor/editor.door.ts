import { allows } from '@app/contract'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { UserActor } from '../../../platform/authz/actor.ts'
import type { Clock } from '../../../platform/clock.ts'
import { hashToken } from '../../../platform/crypto.ts'
import type { Database } from '../../../platform/db/database.ts'
import { type Notice, sendNotice } from '../../../platform/proxy/index.ts'
import { type ApplicationMembers, roleKey } from '../../application-members/index.ts'
import type { EditorHosts } from './editor.hosts.ts'
import { type EditorSessionRow, findSession, insertSession, takeCode } from './editor.store.ts'

export interface DoorDependencies {
  database: Database
  clock: Clock
  editorHosts: EditorHosts
  stillSignedIn(actors: UserActor[]): Promise<Set<UserActor>>
  applicationMembers: Pick<ApplicationMembers, 'rolesOnDevices'>
}

/** People enter again with the console's own session, which is asked each time. */
const sessionMs = 12 * 60 * 60_000

const signedOut: Notice = {
  status: 401,
  code: 'unauthorized',
  title: 'Signed out',
  text: 'Open the editor again from the page of the device.',
}

export type EditorDoor = ReturnType<typeof createEditorDoor>

/** Lets members of the team into the editors of its devices, by a cookie of the editor's own host name. */
export function createEditorDoor({
  database,
  clock,
  editorHosts,
  stillSignedIn,
  applicationMembers,
}: DoorDependencies) {
  // A page of an instance, at a sibling name, must not be able to set it.
  const cookie = editorHosts.isSecure ? '__Host-forge-device' : 'forge-device'
  const given = new RegExp(`(?:^|;)\\s*${cookie}=([\\w-]+)`)

  /** The sessions whose people are still signed in to the console, and members who may use the editor. */
  async function allowed(sessions: readonly EditorSessionRow[]): Promise<Set<EditorSessionRow>> {
    if (sessions.length === 0) return new Set()
    const actors = new Map(sessions.map((row) => [row, actorOf(row)]))
    const signedIn = await stillSignedIn([...actors.values()])
    const roleOn = await applicationMembers.rolesOnDevices(
      sessions.map(({ user_id }) => user_id),
      sessions.map(({ device_id }) => device_id),
    )
    const isLet = (row: EditorSessionRow) => {
      const role = roleOn.get(roleKey(row.user_id, row.device_id))
      return signedIn.has(actors.get(row)!) && role !== undefined && allows(role, 'device:editor')
    }
    return new Set(sessions.filter(isLet))
  }

  return {
    allowed,
    /** The session of whoever asks, while they may use the editor. */
    async admits(deviceId: string, { headers }: IncomingMessage): Promise<EditorSessionRow | undefined> {
      const [, token] = given.exec(headers.cookie ?? '') ?? []
      const row = token === undefined ? undefined : await findSession(database.read, hashToken(token), clock.now())
      return row?.device_id === deviceId && (await allowed([row])).has(row) ? row : undefined
    },

    /** Takes the code of a person who comes from the console, and gives them a session. */
    async enter(deviceId: string, code: string, response: ServerResponse): Promise<void> {
      const row = await takeCode(database.read, hashToken(code), clock.now())
      if (row?.device_id !== deviceId) return redirect(response, editorHosts.doorOf(deviceId))
      // Without the prefix of a kind: the proxy takes those away.
      const token = randomBytes(32).toString('base64url')
      const expires_at = clock.now() + sessionMs
      await insertSession(database.read, { ...row, hash: hashToken(token), kind: 'session', expires_at })
      const attributes = `Path=/; HttpOnly; SameSite=Lax${editorHosts.isSecure ? '; Secure' : ''}`
      response.setHeader('set-cookie', `${cookie}=${token}; ${attributes}`)
      redirect(response, '/')
    },

    /** Sends people to the console, which signs them in; programs and scripts of the page are told. */
    refuse(deviceId: string, request: IncomingMessage, response: ServerResponse): void {
      const isPage = request.method === 'GET' && (request.headers.accept ?? '').includes('text/html')
      if (isPage) redirect(response, editorHosts.doorOf(deviceId))
      else sendNotice(request, response, signedOut)
    },
  }
}

/** The person of a session, as the console knows them. */
const actorOf = ({ user_id: userId, session }: EditorSessionRow): UserActor => ({
  kind: 'user',
  userId,
  username: '',
  name: '',
  admin: false,
  locked: false,
  via: { session },
  address: '',
})

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end()
}
