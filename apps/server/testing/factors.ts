import { createAuthenticator, totp } from './authenticator.ts'
import { password, type TestUser } from './build.ts'
import { cookieOf, send, type testClock } from './request.ts'
import type { TestServer } from './server.ts'

const proof = { password }
const codeMs = 30_000

/** People with second factors, and their sign-ins. Each call of `code` turns the clock, since a code counts once. */
export function createFactors(server: TestServer, clock: ReturnType<typeof testClock>) {
  const { address, config } = server
  let serial = 0

  const factors = {
    /** The next code of an app that was not shown before. */
    code(secret: string): string {
      clock.turn(codeMs)
      return totp(secret, clock.now())
    },

    /** Gives the person an authenticator app. */
    async app({ client }: TestUser) {
      const { secret } = await client.call('secondFactor.startApp', { body: { proof } })
      const { factor, recoveryCodes } = await client.call('secondFactor.confirmApp', {
        body: { code: factors.code(secret) },
      })
      return { secret, id: factor.id, recoveryCodes: recoveryCodes ?? [] }
    },

    /** Gives the person a passkey in a software authenticator. */
    async passkey({ client }: TestUser) {
      const { origin, hostname } = new URL(config.baseUrl)
      const authenticator = createAuthenticator({ origin, rpId: hostname })
      const options = await client.call('secondFactor.startPasskey', { body: { proof } })
      const { factor, recoveryCodes } = await client.call('secondFactor.addPasskey', {
        body: { name: 'Key', passkey: authenticator.create(options) },
      })
      return { authenticator, id: factor.id, recoveryCodes: recoveryCodes ?? [] }
    },

    /** Signs in as far as the password leads, from an address of its own; the headers of what follows. */
    async step({ username }: TestUser, from = `10.1.0.${(serial += 1)}`) {
      const forwarded = { 'x-forwarded-for': from }
      const answer = await send(address, 'POST', '/account/login', {
        headers: forwarded,
        body: { username, password },
      })
      const cookie = cookieOf(answer, 'step')
      return { answer, cookie, headers: { ...forwarded, ...(cookie ? { cookie: `step=${cookie}` } : {}) } }
    },

    /** Answers the second step. */
    answer: (headers: Record<string, string>, body: unknown) =>
      send(address, 'POST', '/account/login/token', { headers, body }),

    /** The challenge for a passkey at the second step. */
    async challenge(headers: Record<string, string>): Promise<{ challenge: string }> {
      const { json } = await send(address, 'POST', '/account/login/challenge', { headers })
      return json.passkey as { challenge: string }
    },
  }
  return factors
}
