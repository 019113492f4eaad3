import * as z from 'zod/mini'
import { topicMax } from './comms-topics.ts'
import { anyone, route } from './route.ts'

const Text = z.string().check(z.minLength(1), z.maxLength(256))

/** Questions of a broker that asks over HTTP, with a form or JSON (docs/specification/protocol-devices.md). */
export const commsRoutes = {
  'comms.client': route({
    method: 'POST',
    path: '/api/comms/auth/client',
    summary: 'May this client connect to the broker? 200 or 401; only for the broker itself, by its address',
    access: anyone,
    body: z.object({ clientid: Text, username: Text, password: z.string().check(z.maxLength(1_024)) }),
    errors: ['unauthorized'],
  }),
  'comms.acl': route({
    method: 'POST',
    path: '/api/comms/auth/acl',
    summary: 'May this client publish to the topic (acc 2) or subscribe to it (any other acc)? 200 or 401',
    access: anyone,
    body: z.object({
      clientid: Text,
      username: Text,
      topic: z.string().check(z.minLength(1), z.maxLength(topicMax)),
      acc: z.coerce.number().check(z.int()),
    }),
    errors: ['unauthorized'],
  }),
}
