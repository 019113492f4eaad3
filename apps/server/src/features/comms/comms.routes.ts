import type { RouteIdOf } from '@app/contract'
import type { Handlers } from '../../platform/http/context.ts'
import { fail } from '../../platform/http/failure.ts'
import { type BrokerClients, mayUse } from './comms.clients.ts'

export interface HooksDependencies {
  clients: BrokerClients
  /** May a broker at this address ask? */
  isBroker(address: string): boolean
}

/** The questions of a broker that asks over HTTP: 200 is yes, 401 no. */
export function commsHandlers({ clients, isBroker }: HooksDependencies): Handlers<RouteIdOf<'comms'>> {
  const known = async (address: string, client: { username: string; clientId: string; password?: string }) => {
    const rights = isBroker(address) ? await clients.rightsOf(client) : null
    if (!rights) throw fail('unauthorized')
    return rights
  }
  return {
    async 'comms.client'({ actor, reply }, { body: { clientid, username, password } }) {
      await known(actor.address, { clientId: clientid, username, password })
      await reply.code(200).send()
    },
    async 'comms.acl'({ actor, reply }, { body: { clientid, username, topic, acc } }) {
      const rights = await known(actor.address, { clientId: clientid, username })
      if (!mayUse(rights, topic, acc === 2)) throw fail('unauthorized')
      await reply.code(200).send()
    },
  }
}
