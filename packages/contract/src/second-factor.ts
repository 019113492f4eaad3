import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { Id, Ok, Time, text } from './primitives.ts'
import { anyone, may, route, signedIn, whileLocked } from './route.ts'

/** Six digits of an authenticator app, or a recovery code; blanks and dashes do not matter. */
const Code = z.string().check(z.minLength(1, 'Enter a code'), z.maxLength(64))

const base64url = (max: number) => z.string().check(z.maxLength(max), z.regex(/^[A-Za-z0-9_-]*$/, 'Not base64url'))

/** The fields of both answers. */
const credential = {
  id: base64url(1_400),
  rawId: base64url(1_400),
  type: z.literal('public-key'),
  authenticatorAttachment: z.optional(z.string().check(z.maxLength(32))),
  clientExtensionResults: z.object({}),
}

/** The answer of `navigator.credentials.get`, as JSON (WebAuthn, level 3). */
export const PasskeyAssertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8_192),
    authenticatorData: base64url(8_192),
    signature: base64url(4_096),
    userHandle: z.optional(base64url(128)),
  }),
})
export type PasskeyAssertion = z.infer<typeof PasskeyAssertion>

/** The answer of `navigator.credentials.create`, as JSON. */
export const PasskeyAttestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(8_192),
    attestationObject: base64url(16_384),
    transports: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(10))),
  }),
})
export type PasskeyAttestation = z.infer<typeof PasskeyAttestation>

/** Shows once more who asks, before something that decides over signing in is changed: one of the three. */
export const Proof = z.object({
  password: z.optional(z.string().check(z.maxLength(limits.passwordMax, 'Too long'))),
  code: z.optional(Code),
  passkey: z.optional(PasskeyAssertion),
})
export type Proof = z.infer<typeof Proof>

export const factorKinds = ['app', 'passkey'] as const
export type FactorKind = (typeof factorKinds)[number]

export const Factor = z.object({
  id: Id,
  kind: z.enum(factorKinds),
  name: z.string(),
  createdAt: Time,
  lastUsedAt: z.nullable(Time),
})
export type Factor = z.infer<typeof Factor>

export const SecondFactors = z.object({
  factors: z.array(Factor),
  /** Number of recovery codes that are left. */
  recoveryCodes: z.number(),
  /** The platform asks everyone for a second factor. */
  required: z.boolean(),
})
export type SecondFactors = z.infer<typeof SecondFactors>

/** A factor that was just added. With the first one come the recovery codes, this once. */
const Added = z.object({ factor: Factor, recoveryCodes: z.optional(z.array(z.string())) })

/** The options of the browser's own call (WebAuthn options as JSON); the console passes them on unread. */
const PasskeyOptions = z.looseObject({ challenge: z.string() })

/** The proof given at the second step of signing in. */
export const SecondStep = z.object({
  methods: z.array(z.enum(['app', 'passkey', 'recovery'])),
  passkey: z.optional(PasskeyOptions),
})
export type SecondStep = z.infer<typeof SecondStep>

const answering = whileLocked(signedIn)
const refusals = ['invalid_code', 'too_many_requests'] as const
const proven = z.object({ proof: Proof })
const example = { proof: { password: 'correct horse' } }

/** Second factors: authenticator apps, passkeys and recovery codes. No token may call these. */
export const secondFactorRoutes = {
  'secondFactor.step': route({
    method: 'POST',
    path: '/account/login/challenge',
    whenDiskIsFull: true,
    summary: 'Options for the second sign-in step, with the challenge for a passkey',
    access: anyone,
    reply: SecondStep,
    errors: [],
  }),
  'secondFactor.signIn': route({
    method: 'POST',
    path: '/account/login/token',
    whenDiskIsFull: true,
    summary: 'Complete the second sign-in step. Sets the session cookie',
    access: anyone,
    body: z.object({ code: z.optional(Code), passkey: z.optional(PasskeyAssertion) }),
    errors: [...refusals, 'user_suspended'],
    audit: 'account.login',
    example: { body: { code: '123456' } },
  }),
  'secondFactor.get': route({
    method: 'GET',
    path: '/api/v1/user/mfa',
    summary: 'Your second factors',
    access: answering,
    reply: SecondFactors,
    errors: [],
  }),
  'secondFactor.challenge': route({
    method: 'POST',
    path: '/api/v1/user/mfa/challenge',
    whenDiskIsFull: true,
    summary: 'Challenge for a passkey, to confirm your identity',
    access: answering,
    reply: PasskeyOptions,
    errors: [],
  }),
  'secondFactor.prove': route({
    method: 'POST',
    path: '/api/v1/user/proof',
    whenDiskIsFull: true,
    summary: 'Confirm your identity after a call was refused with `proof_required`. Valid for 15 minutes',
    access: signedIn,
    body: proven,
    reply: Ok,
    errors: refusals,
    example: { body: example, reply: { status: 'okay' } },
  }),
  'secondFactor.startApp': route({
    method: 'POST',
    path: '/api/v1/user/mfa/app',
    summary: 'New secret for an authenticator app. It takes effect when confirmed with a code',
    access: answering,
    body: proven,
    reply: z.object({ secret: z.string(), uri: z.string() }),
    errors: refusals,
    example: { body: example },
  }),
  'secondFactor.confirmApp': route({
    method: 'PUT',
    path: '/api/v1/user/mfa/app',
    summary: 'Confirm the new secret with a code. A previous app stops working; other sessions end',
    access: answering,
    body: z.object({ code: Code }),
    reply: Added,
    errors: refusals,
    audit: 'user.second-factor.added',
    example: { body: { code: '123456' } },
  }),
  'secondFactor.startPasskey': route({
    method: 'POST',
    path: '/api/v1/user/mfa/passkeys/options',
    summary: 'Challenge for creating a passkey',
    access: answering,
    body: proven,
    reply: PasskeyOptions,
    errors: refusals,
    example: { body: example },
  }),
  'secondFactor.addPasskey': route({
    method: 'POST',
    path: '/api/v1/user/mfa/passkeys',
    summary: 'Add a passkey. Other sessions end',
    access: answering,
    body: z.object({ name: text(limits.nameMax), passkey: PasskeyAttestation }),
    reply: Added,
    errors: ['invalid_code'],
    audit: 'user.second-factor.added',
    bodyLimit: 65_536,
  }),
  'secondFactor.remove': route({
    method: 'POST',
    path: '/api/v1/user/mfa/:factorId/remove',
    summary: 'Remove a second factor. The last one takes the recovery codes with it; other sessions end',
    access: answering,
    params: z.object({ factorId: Id }),
    body: proven,
    reply: Ok,
    errors: refusals,
    audit: 'user.second-factor.removed',
    example: { body: example },
  }),
  'secondFactor.recoveryCodes': route({
    method: 'POST',
    path: '/api/v1/user/mfa/recovery-codes',
    summary: 'Create new recovery codes. The previous ones stop working',
    access: answering,
    body: proven,
    reply: z.object({ recoveryCodes: z.array(z.string()) }),
    errors: refusals,
    audit: 'user.second-factor.recovery-codes',
    example: { body: example },
  }),
  'secondFactor.reset': route({
    method: 'DELETE',
    path: '/api/v1/users/:userId/mfa',
    summary: 'Remove all second factors of a user and end their sessions',
    access: may('user:edit', 'platform'),
    params: z.object({ userId: Id }),
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'users.second-factor.reset',
  }),
}
