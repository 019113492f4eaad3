import { type AccessRequest, allows, type TokenReply } from '@app/contract'
import { createHash } from 'node:crypto'
import type { UserActor } from '../../platform/authz/actor.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, sameSecret } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { fail } from '../../platform/http/failure.ts'
import { newId } from '../../platform/ids.ts'
import { addressGroup } from '../../platform/proxy/index.ts'
import { effectiveSettings } from '../instance-settings/index.ts'
import { type Addresses, findByClient, findInstance, findWhole, type InstanceRow } from '../instances/index.ts'
import { type EditorGrant, editorTokenSeconds, type Tokens } from '../tokens/index.ts'
import {
  deleteRequest,
  findRequest,
  grantCode,
  insertRequest,
  type RequestRow,
  takeByCode,
} from './editor-auth.store.ts'

/** A person signs in within this time. */
export const requestMs = 10 * 60_000
const codeMs = 60_000

/** The address that the browser is to go to is none of this instance. */
export const invalidRedirect = 'Invalid redirect_uri: after a change of the path of the editor, restart the instance'

/** A fault of the client, answered with 400 `{error, description}` and never with a redirect. */
export class OauthFault extends Error {
  readonly error: string
  constructor(error: string, description: string) {
    super(description)
    this.error = error
  }
}

type Parameters = {
  [Name in
    | 'response_type'
    | 'client_id'
    | 'redirect_uri'
    | 'scope'
    | 'state'
    | 'code_challenge'
    | 'code_challenge_method']?: string | undefined
}
type Exchange = {
  [Name in
    | 'grant_type'
    | 'code'
    | 'redirect_uri'
    | 'code_verifier'
    | 'client_id'
    | 'client_secret'
    | 'refresh_token'
    | 'username']?: string | undefined
}

export interface OauthDependencies {
  database: Database
  clock: Clock
  tokens: Tokens
  instanceUrl: Addresses['instanceUrl']
  /** Does the user exist, and is not suspended? */
  isActive(userId: string): Promise<boolean>
  /** The role of a person on what belongs to an application. */
  roleIn(applicationId: string, userId: string): Promise<number | undefined>
}

export type EditorAuth = ReturnType<typeof createEditorAuth>

const forEditor = (scope: string) => /^editor(-|$)/.test(scope)
const forHttp = (scope: string) => scope.startsWith('httpAuth-')

/** Returns the rights of a role in an instance; undefined when it has none. Visiting administrators have no role. */
function grantFor(role: number | undefined, scope: string): EditorGrant | undefined {
  if (role === undefined || !allows(role, 'project:flows:http')) return undefined
  if (!forEditor(scope)) return 'http'
  if (allows(role, 'project:flows:edit')) return '*'
  return allows(role, 'project:flows:view') ? 'read' : undefined
}

/** Why nobody signs in to the editor of an instance of several processes (HA-02). */
const editorOff = 'The editor is off while the instance runs in High Availability mode'

function withParams(uri: string, values: Record<string, string>): string {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value)
  return url.href
}

/** Signs people in to the editors of instances: authorization code with PKCE (docs/specification/protocol-instances.md). */
export function createEditorAuth(deps: OauthDependencies) {
  const { database, clock, tokens } = deps

  const refusal = (request: Pick<RequestRow, 'redirect_uri' | 'state'>, error: string, description: string) =>
    withParams(request.redirect_uri, { error, errorDescription: description, state: request.state })

  /** Where a code may go: the callbacks of the instance itself, and no other of its addresses. */
  async function callbacksOf(instance: InstanceRow, scope: string): Promise<string[]> {
    const at = (path: string) => new URL(path, deps.instanceUrl(instance)).href
    if (forHttp(scope)) return [at('/_ffAuth/callback')]
    const row = await findWhole(database.read, instance.id)
    const root = row ? (effectiveSettings(row).httpAdminRoot ?? '') : ''
    // Launchers of the installed base leave out the root of the editor.
    return ['', root].map((path) => at(`/${path}/auth/strategy/callback`.replace(/\/+/g, '/')))
  }

  async function clientOf(id: string | undefined): Promise<InstanceRow> {
    const instance = id ? await findByClient(database.read, id) : undefined
    if (!instance) throw new OauthFault('invalid_request', 'Invalid client_id')
    return instance
  }

  async function authenticate(body: Exchange): Promise<InstanceRow> {
    const instance = await clientOf(body.client_id)
    const stored = instance.client_secret_hash ?? ''
    if (!body.client_secret || !sameSecret(hashToken(body.client_secret), stored))
      throw new OauthFault('invalid_request', 'Invalid client')
    return instance
  }

  async function issue(
    userId: string,
    instance: InstanceRow,
    scope: string,
    state: string | undefined,
    address: string | null,
    replaces?: string,
  ): Promise<TokenReply> {
    const role = (await deps.isActive(userId)) ? await deps.roleIn(instance.application_id, userId) : undefined
    const grant = grantFor(role, scope)
    if (!grant) throw new OauthFault('access_denied', 'You have no access to this instance any more')
    const pair = await database.transact(async (tx) => {
      if (replaces && !(await tokens.consume(tx, replaces)))
        throw new OauthFault('invalid_request', 'Invalid refresh token')
      return tokens.forEditor(tx, userId, instance.id, grant, address)
    })
    return {
      access_token: pair.access,
      refresh_token: pair.refresh,
      expires_in: editorTokenSeconds,
      scope: grant,
      ...(state ? { state } : {}),
    }
  }

  async function pending(id: string, browser: string): Promise<RequestRow> {
    const request = await findRequest(database.read, id, clock.now())
    if (!request || !sameSecret(request.browser_hash, hashToken(browser)))
      throw fail('not_found', 'This sign-in has expired, was used already, or was started in another browser')
    return request
  }

  return {
    /** Keeps the request and returns its id, or where to send the browser with a refusal. */
    async authorize(
      query: Parameters,
      address: string,
      browser: string,
    ): Promise<{ requestId: string } | { redirect: string }> {
      const instance = await clientOf(query.client_id)
      const asked = query.redirect_uri ?? ''
      if (
        !URL.canParse(asked) ||
        !(await callbacksOf(instance, query.scope ?? 'editor')).includes(new URL(asked).href)
      ) {
        throw new OauthFault('invalid_request', invalidRedirect)
      }
      const target = { redirect_uri: asked, state: query.state ?? '' }
      if (query.response_type !== 'code')
        return { redirect: refusal(target, 'unsupported_response_type', 'Only response_type=code is supported') }
      if (!query.scope || !(forEditor(query.scope) || forHttp(query.scope))) {
        return { redirect: refusal(target, 'invalid_request', 'Invalid scope') }
      }
      if (forEditor(query.scope) && instance.replicas !== null)
        return { redirect: refusal(target, 'access_denied', editorOff) }
      if (!query.state) return { redirect: refusal(target, 'invalid_request', 'Missing state') }
      if (query.code_challenge_method !== 'S256' || !query.code_challenge) {
        return { redirect: refusal(target, 'invalid_request', 'A code_challenge with method S256 is required') }
      }
      const now = clock.now()
      const row: RequestRow = {
        id: newId(),
        instance_id: instance.id,
        client_id: query.client_id!,
        ...target,
        scope: query.scope,
        code_challenge: query.code_challenge,
        code_hash: null,
        user_id: null,
        address: addressGroup(address),
        browser_hash: hashToken(browser),
        created_at: now,
        expires_at: now + requestMs,
      }
      await database.transact((tx) => insertRequest(tx, row))
      return { requestId: row.id }
    },

    async describe(id: string, browser: string): Promise<AccessRequest> {
      const request = await pending(id, browser)
      const instance = await findInstance(database.read, request.instance_id)
      return { id, client: 'editor', instance: instance ? { id: instance.id, name: instance.name } : null }
    },

    /** Where to send the browser: with a code for members, with a refusal for everyone else. */
    async complete(actor: UserActor, id: string, browser: string): Promise<string> {
      const request = await pending(id, browser)
      const instance = await findInstance(database.read, request.instance_id)
      if (!instance) throw fail('not_found')
      const role = await deps.roleIn(instance.application_id, actor.userId)
      if (forEditor(request.scope) && instance.replicas !== null) {
        await database.transact((tx) => deleteRequest(tx, id))
        throw fail('access_denied', editorOff)
      }
      const grant = grantFor(role, request.scope)
      if (!grant) {
        await database.transact((tx) => deleteRequest(tx, id))
        if (role !== undefined && forEditor(request.scope))
          throw fail('access_denied', 'Your role in this team has no access to the editor')
        return refusal(request, 'access_denied', 'You are not a member of the team of this instance')
      }
      if (grant === 'read' && request.scope === 'editor') {
        await database.transact((tx) => deleteRequest(tx, id))
        throw fail('access_denied', 'This launcher is too old to open the editor read-only')
      }
      const code = newToken('ffc')
      const change = {
        code_hash: hashToken(code),
        user_id: actor.userId,
        address: actor.address,
        expires_at: clock.now() + codeMs,
      }
      if (!(await database.transact((tx) => grantCode(tx, id, change)))) throw fail('not_found')
      return withParams(request.redirect_uri, { code, state: request.state })
    },

    async reject(id: string, browser: string): Promise<string> {
      const request = await pending(id, browser)
      await database.transact((tx) => deleteRequest(tx, id))
      return refusal(request, 'access_denied', 'The sign-in was refused')
    },

    async exchange(body: Exchange): Promise<TokenReply> {
      const instance = await authenticate(body)
      if (body.grant_type === 'refresh_token') {
        const token = body.refresh_token ? await tokens.byRefresh(body.refresh_token) : undefined
        if (!token?.user_id || token.instance_id !== instance.id)
          throw new OauthFault('invalid_request', 'Invalid refresh token')
        return issue(
          token.user_id,
          instance,
          token.grant_scope === 'http' ? 'httpAuth-' : 'editor-',
          undefined,
          token.address,
          token.id,
        )
      }
      if (body.grant_type === 'editor_session') {
        // Their tokens in the process before are lost with it; what ends a sign-in deletes them here.
        const token = body.username ? await tokens.ofEditor(instance.id, body.username) : undefined
        if (!token?.user_id || instance.replicas !== null)
          throw new OauthFault('access_denied', 'This editor session has ended')
        return issue(token.user_id, instance, 'editor-', undefined, token.address, token.id)
      }
      if (body.grant_type !== 'authorization_code') throw new OauthFault('invalid_request', 'Invalid grant_type')
      const request = body.code ? await database.transact((tx) => takeByCode(tx, hashToken(body.code!))) : undefined
      const challenge = createHash('sha256')
        .update(body.code_verifier ?? '')
        .digest('base64url')
      const valid =
        request?.user_id &&
        request.expires_at > clock.now() &&
        request.instance_id === instance.id &&
        request.redirect_uri === body.redirect_uri &&
        sameSecret(challenge, request.code_challenge)
      if (!valid) throw new OauthFault('invalid_request', 'Invalid code')
      return issue(request.user_id!, instance, request.scope, request.state, request.address)
    },
  }
}
