import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Look, off, warning } from '../../platform/health/check.ts'

/** The connection to the broker, and whether an external Mosquitto has the users it shall have. */
export function brokerChecks({
  config: { broker },
  brokerLink,
  mosquitto,
}: Pick<Services, 'config' | 'brokerLink' | 'mosquitto'>): Look[] {
  if (!broker) return []
  const which = broker.url === undefined ? 'the embedded broker' : 'the external broker'
  return [
    {
      part: 'Broker',
      async run() {
        if (!brokerLink.isStarted()) return off('The server that runs the instances is connected to the broker.')
        if (!brokerLink.isConnected()) return broken('BROKER01', `This server has no connection to ${which}.`)
        const fault = mosquitto?.fault()
        if (fault !== undefined) return warning('BROKER02', `Mosquitto does not have every change: ${fault}.`)
        return fine(`This server is connected to ${which}.`)
      },
    },
  ]
}
