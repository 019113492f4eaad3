import * as z from 'zod/mini'
import { topicMax } from './comms-topics.ts'
import { anyone, route } from './route.ts'

const Text = z.string().check(z.minLength(1), z.maxLength(256))

/** Questions of a broker that asks over HTTP, with a form or JSON (docs/specification/protocol-devices.md). */
export const commsRoutes = {
  'comms.client': route({
    method: 'POST',
    path: '/api/comms/auth/client',
    summary: 'Authenticate a client of the broker: 200 or 401. Only the broker may ask, recognised by its address',
    access: anyone,
    body: z.object({ clientid: Text, username: Text, password: z.string().check(z.maxLength(1_024)) }),
    errors: ['unauthorized'],
  }),
  'comms.acl': route({
    method: 'POST',
    path: '/api/comms/auth/acl',
    summary:
      'Authorise a client of the broker to publish to a topic (acc 2) or subscribe to it (any other acc): 200 or 401',
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
