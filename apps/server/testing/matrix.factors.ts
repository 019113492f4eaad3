import type { RouteIdOf } from '@app/contract'
import type { MatrixCall } from './matrix.calls.ts'

const nothing: MatrixCall = { input: () => ({}) }
/** Callers who get through prove nothing and are told so; no guess is counted. */
const unproven: MatrixCall = { allowed: [400], input: () => ({ body: { proof: {} } }) }
/** Nobody's sign-in waits for its second step. */
const noStep: MatrixCall = { allowed: [401], input: () => ({ body: { code: '123456' } }) }

/** The calls about second factors and personal tokens; see matrixCalls. */
export const factorCalls: Record<RouteIdOf<'secondFactor' | 'tokens'>, MatrixCall> = {
  'secondFactor.step': noStep,
  'secondFactor.signIn': noStep,
  'secondFactor.get': nothing,
  'secondFactor.challenge': { allowed: [400], input: () => ({}) },
  'secondFactor.prove': unproven,
  'secondFactor.startApp': unproven,
  'secondFactor.confirmApp': { allowed: [400], input: () => ({ body: { code: '000000' } }) },
  'secondFactor.startPasskey': unproven,
  'secondFactor.addPasskey': { allowed: [400], input: () => ({ body: {} }) },
  'secondFactor.remove': {
    allowed: [404],
    input: () => ({ params: { factorId: 'none' }, body: { proof: {} } }),
  },
  'secondFactor.recoveryCodes': unproven,
  'secondFactor.reset': {
    input: async (world, _caller, allowed) => ({ params: { userId: allowed ? (await world.freshUser()).id : 'none' } }),
  },
  'tokens.list': nothing,
  'tokens.create': { input: () => ({ body: { name: 'Matrix', scopes: ['project:read'], expiresAt: null } }) },
  'tokens.revoke': {
    input: async (world, { userId }, allowed) => ({
      params: { tokenId: allowed && userId ? await world.freshToken(userId) : 'none' },
    }),
  },
}
