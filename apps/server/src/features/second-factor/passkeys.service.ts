import * as z from 'zod/mini'
import { jsonColumn } from '../../platform/db/json.ts'
import type { PasskeyAssertion, PasskeyAttestation } from '@app/contract'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/db/database.ts'
import { insertChallenge, type Purpose, takeChallenge } from './challenges.store.ts'
import { type FactorRow, findPasskey, listFactors } from './second-factor.store.ts'

const challengeMs = 5 * 60_000
/** Ed25519, ES256, RS256: what authenticators can do. */
const supportedAlgorithmIDs = [-8, -7, -257]

/**
 * Parsing certificates takes memory that a platform without passkeys need not spend. In one file with others, the
 * library is run before the one that it expects to have been there.
 */
async function library() {
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}

export interface PasskeysDependencies {
  database: Database
  clock: Clock
  /** Address of the console. A passkey belongs to its host name and answers pages of exactly this origin. */
  baseUrl: string
}

export type Passkeys = ReturnType<typeof createPasskeys>

const ClientData = z.object({ challenge: z.string() })

/** The challenge that the browser says it signed; undefined when that cannot be read. */
function challengeOf(clientDataJSON: string): string | undefined {
  try {
    return ClientData.parse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8'))).challenge
  } catch {
    return undefined
  }
}

const readTransports = jsonColumn('second_factors.transports', z.array(z.string()))
const transportsOf = ({ id, transports }: FactorRow) => (transports === null ? [] : readTransports(transports, id))

/** Passkeys by the book (WebAuthn, level 3): each challenge counts once, for one person and one purpose. */
export function createPasskeys({ database, clock, baseUrl }: PasskeysDependencies) {
  const { hostname: rpID, origin } = new URL(baseUrl)

  /** The passkeys of the person for this host name; a browser does not offer those of another. */
  async function known(userId: string): Promise<FactorRow[]> {
    const all = await listFactors(database.read, userId)
    return all.filter(({ kind, host }) => kind === 'passkey' && (host === null || host === rpID))
  }

  async function keep(challenge: string, userId: string, purpose: Purpose): Promise<void> {
    const now = clock.now()
    const row = { challenge, user_id: userId, purpose, expires_at: now + challengeMs }
    await database.transact((tx) => insertChallenge(tx, row, now))
  }

  /** The challenge of an answer, used up whatever becomes of the answer; undefined when it does not count. */
  async function spend(clientDataJSON: string, userId: string, purpose: Purpose): Promise<string | undefined> {
    const challenge = challengeOf(clientDataJSON)
    if (challenge === undefined) return undefined
    const wanted = { challenge, userId, purpose, now: clock.now() }
    return (await database.transact((tx) => takeChallenge(tx, wanted))) ? challenge : undefined
  }

  return {
    /** Returns the options for a new passkey, on a device that holds none of this person yet. */
    async creation(user: { userId: string; username: string; name: string }) {
      const { generateRegistrationOptions } = await library()
      const options = await generateRegistrationOptions({
        rpName: 'FlowForge',
        rpID,
        userID: new TextEncoder().encode(user.userId),
        userName: user.username,
        userDisplayName: user.name,
        timeout: challengeMs,
        supportedAlgorithmIDs,
        excludeCredentials: (await known(user.userId)).map((row) => ({
          id: row.credential_id!,
          transports: transportsOf(row),
        })),
      })
      await keep(options.challenge, user.userId, 'add')
      return options
    },

    /** The columns of a new passkey; undefined when the answer is not good. */
    async created(userId: string, response: PasskeyAttestation) {
      const expectedChallenge = await spend(response.response.clientDataJSON, userId, 'add')
      if (expectedChallenge === undefined) return undefined
      const { verifyRegistrationResponse } = await library()
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response as RegistrationResponseJSON,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        supportedAlgorithmIDs,
        // The password came before it: that somebody is there is enough.
        requireUserVerification: false,
      }).catch(() => ({ registrationInfo: undefined }))
      if (!registrationInfo) return undefined
      const { id, publicKey, counter } = registrationInfo.credential
      return {
        credential_id: id,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: JSON.stringify(response.response.transports ?? []),
        host: rpID,
      }
    },

    /** Returns the options to ask for one of the person's passkeys; undefined when they have none for this host name. */
    async request(userId: string, purpose: 'prove' | 'sign-in') {
      const rows = await known(userId)
      if (rows.length === 0) return undefined
      const { generateAuthenticationOptions } = await library()
      const options = await generateAuthenticationOptions({
        rpID,
        timeout: challengeMs,
        allowCredentials: rows.map((row) => ({ id: row.credential_id!, transports: transportsOf(row) })),
      })
      await keep(options.challenge, userId, purpose)
      return options
    },

    /** The passkey that gave this answer, with its new counter and the host name it belongs to; undefined when the answer is not good. */
    async answered(userId: string, purpose: 'prove' | 'sign-in', response: PasskeyAssertion) {
      const expectedChallenge = await spend(response.response.clientDataJSON, userId, purpose)
      const row = await findPasskey(database.read, userId, response.id)
      if (expectedChallenge === undefined || !row) return undefined
      const { verifyAuthenticationResponse } = await library()
      const result = await verifyAuthenticationResponse({
        response: response as AuthenticationResponseJSON,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: false,
        credential: {
          id: row.credential_id!,
          publicKey: new Uint8Array(Buffer.from(row.public_key!, 'base64url')),
          counter: row.counter!,
        },
      }).catch(() => undefined)
      return result?.verified ? { id: row.id, counter: result.authenticationInfo.newCounter, host: rpID } : undefined
    },
  }
}
