import * as z from 'zod/mini'
import { Id, Ok, Time } from './primitives.ts'
import { inBrowser, may, route, signedIn } from './route.ts'

export const Session = z.object({
  id: Id,
  current: z.boolean(),
  address: z.string(),
  /** The browser and the system it runs on, in words: `Firefox on Windows`. */
  device: z.string(),
  userAgent: z.string(),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
})
export type Session = z.infer<typeof Session>

export const sessionRoutes = {
  'account.sessions': route({
    method: 'GET',
    path: '/api/v1/user/sessions',
    summary: 'Sessions of the signed-in user',
    access: signedIn,
    reply: z.object({ count: z.number(), sessions: z.array(Session) }),
    errors: [],
  }),
  'account.endSession': route({
    method: 'DELETE',
    path: '/api/v1/user/sessions/:sessionId',
    summary: 'End one of your sessions',
    access: inBrowser(may('user:edit', 'self')),
    params: z.object({ sessionId: Id }),
    reply: Ok,
    errors: ['proof_required'],
    audit: 'user.session.revoked',
  }),
  'account.endOtherSessions': route({
    method: 'DELETE',
    path: '/api/v1/user/sessions',
    summary: 'End all other sessions of the signed-in user, including their editor sessions',
    access: inBrowser(may('user:edit', 'self')),
    reply: Ok,
    errors: ['proof_required'],
    audit: 'user.session.revoked',
    example: { reply: { status: 'okay' } },
  }),
}
