import type { ProjectLink } from '@app/contract/runtime'
import type { Config } from '../../config.ts'
import type { BrokerClients } from './comms.clients.ts'

export type Messages = ReturnType<typeof createMessages>

/** Messages between instances and devices: what the nodes for them need. */
export function createMessages({
  config,
  brokerClients,
  url,
}: {
  config: Config
  brokerClients: BrokerClients
  /** Address of the broker for instances; undefined while the embedded one cannot be started. */
  url: () => string | undefined
}) {
  const isOn = config.features.projectComms && brokerClients.isOn

  return {
    /** Do instances and devices get the nodes? */
    isOn,

    /** Undefined when messages are switched off. @throws Error when the database cannot be read. */
    async ofInstance({ id, team_id, replicas }: { id: string; team_id: string; replicas: number | null }) {
      const credentials = isOn ? await brokerClients.ofInstance({ id, teamId: team_id }) : undefined
      if (!credentials) return undefined
      // Without an address the nodes would be missing in the flows, so they get one that will answer one day.
      const broker = { url: url() ?? brokerClients.publicUrl, ...credentials }
      return { team: team_id, broker, ...((replicas ?? 1) > 1 && { shared: true }) } satisfies ProjectLink
    },
  }
}
