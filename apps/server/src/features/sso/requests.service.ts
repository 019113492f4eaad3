import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod/mini'
import type { Clock } from '../../platform/clock.ts'
import { hashToken, newToken, type Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Tx } from '../../platform/db/tables.ts'
import { deleteRequest, findRequest, insertAnswer, insertRequest, type RequestRow } from './requests.store.ts'

/** Milliseconds a person has at the page of their provider. */
const requestMs = 15 * 60_000

/**
 * The cookie of the browser that begins sign-ins. SAML brings answers by a POST from the site of the provider, with
 * which browsers send only cookies that say so; without TLS they take no such cookie, so there it says nothing, for
 * which Chromium sends it for two minutes. `false` because the library adds `Lax` where the attribute is left out.
 */
export function ssoCookie(secure: boolean) {
  const name = secure ? '__Host-sso' : 'sso'
  const sameSite = secure ? ('none' as const) : false
  return {
    name,
    of: (request: FastifyRequest): string | undefined => request.cookies[name],
    /** The cookie of this browser, which gets one if it has none. */
    keep(request: FastifyRequest, reply: FastifyReply): string {
      const token = request.cookies[name] ?? newToken('ffso')
      void reply.setCookie(name, token, { path: '/', httpOnly: true, secure, sameSite, maxAge: requestMs / 1000 })
      return token
    },
  }
}
export type SsoCookie = ReturnType<typeof ssoCookie>

/** A path of the console itself, and of no other site. Browsers read a backslash as a slash, and skip tabs and line ends. */
export function ownPath(path: string | undefined): string {
  const isOwn = path !== undefined && path.length <= 2048 && /^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path)
  return isOwn ? path : '/'
}

const readData = jsonColumn('sso_requests.data', z.record(z.string(), z.string()))

/** The request that an answer belongs to. */
export interface FoundRequest {
  providerId: string
  returnTo: string
  data: Record<string, string>
  /** Was it begun in the browser with this cookie? */
  isFrom(browser: string | undefined): boolean
}

export type SsoRequests = ReturnType<typeof createSsoRequests>

/** Sign-ins that were begun here and wait for their answer, on whichever server it arrives. */
export function createSsoRequests({ database, clock, vault }: { database: Database; clock: Clock; vault: Vault }) {
  const opened = ({ id_hash, provider_id, browser_hash, return_to, data }: RequestRow): FoundRequest => ({
    providerId: provider_id,
    returnTo: return_to,
    data: readData(vault.open(data, `sso-request:${id_hash}`), id_hash),
    isFrom: (browser) => browser !== undefined && hashToken(browser) === browser_hash,
  })

  return {
    /**
     * Keeps that a sign-in was begun. `id` is what its answer will name; `data` is what the protocol needs again then,
     * such as a nonce.
     */
    async begin(request: {
      id: string
      providerId: string
      browser: string
      returnTo: string | undefined
      data?: Record<string, string>
    }): Promise<void> {
      const id_hash = hashToken(request.id)
      const row: RequestRow = {
        id_hash,
        provider_id: request.providerId,
        browser_hash: hashToken(request.browser),
        return_to: ownPath(request.returnTo),
        data: vault.seal(JSON.stringify(request.data ?? {}), `sso-request:${id_hash}`),
        expires_at: clock.now() + requestMs,
      }
      await database.transact((tx) => insertRequest(tx, row))
    },

    /** The request that an answer names, without using it up. */
    async find(id: string): Promise<FoundRequest | undefined> {
      const row = await findRequest(database.read, hashToken(id), clock.now())
      return row && opened(row)
    },

    /** Uses a request up; false when it was used before. */
    use: async (id: string): Promise<boolean> => database.transact((tx) => deleteRequest(tx, hashToken(id))),

    /** Uses an answer up by its id; false when it was used before. It is remembered until it would be refused anyway. */
    once: async (providerId: string, answerId: string, until: number): Promise<boolean> =>
      database.transact((tx: Tx) =>
        insertAnswer(tx, { provider_id: providerId, id_hash: hashToken(answerId), expires_at: until }),
      ),
  }
}
