import { defineFeature } from '../../platform/features/feature.ts'
import { also } from '../../platform/features/services.ts'
import { whole } from '../../platform/keys/sealed.columns.ts'
import { isIn } from '../../platform/proxy/index.ts'
import { type BrokerProcess, createBrokerProcess } from './broker.process.ts'
import { type BrokerClients, brokerPath, createBrokerClients, passwordContext } from './comms.clients.ts'
import { brokerChecks } from './comms.health.ts'
import { type BrokerLink, createBrokerLink } from './comms.link.ts'
import { createMessages, type Messages } from './comms.messages.ts'
import { commsHandlers } from './comms.routes.ts'
import { watchRights } from './comms.watch.ts'
import { createMosquitto, type Mosquitto } from './mosquitto.ts'

declare module '../../platform/features/services.ts' {
  interface Services {
    brokerClients: BrokerClients
    /** The process of the embedded broker; absent with a broker of the operator's, or without any. */
    brokerProcess: BrokerProcess | undefined
    /** Brings the users of the broker to the operator's Mosquitto; absent with every other broker. */
    mosquitto: Mosquitto | undefined
    brokerLink: BrokerLink
    messages: Messages
  }
}

declare module '../../platform/events/bus.ts' {
  interface ServerEvents {
    /**
     * A change of what these devices shall run, or of the rights of these users of the broker (without names: of all),
     * or of their passwords (`dropped`).
     */
    comms: { devices?: readonly string[]; instance?: string; users?: readonly string[]; dropped?: true }
  }
}

export const commsFeature = defineFeature({
  name: 'comms',
  provides: {
    brokerClients: createBrokerClients,
    brokerProcess: (services) =>
      services.config.broker && !services.config.broker.url
        ? createBrokerProcess(also(services, { rightsOf: services.brokerClients.rightsOf }))
        : undefined,
    mosquitto: ({ config: { broker }, brokerClients: clients, log }) =>
      broker?.url && broker.auth === 'mosquitto'
        ? createMosquitto({ url: broker.url, password: clients.platformPassword, clients, log })
        : undefined,
    brokerLink: ({ config, log, brokerClients, brokerProcess }) =>
      createBrokerLink({
        url: () => config.broker?.url ?? brokerProcess?.localUrl(),
        password: brokerClients.platformPassword,
        log,
      }),
    messages: ({ config, brokerClients, brokerProcess }) =>
      createMessages({ config, brokerClients, url: () => config.broker?.url ?? brokerProcess?.localUrl() }),
  },
  health: brokerChecks,
  routes: ({ brokerClients: clients, config }) =>
    commsHandlers({ clients, isBroker: isIn((config.broker?.auth === undefined && config.broker?.hooksFrom) || []) }),
  sockets: ({ brokerProcess }): Record<string, () => string | undefined> =>
    brokerProcess ? { [brokerPath]: brokerProcess.webSocket } : {},
  runs: {
    brokerProcess: (services) => ({
      // Before instances are found again, which ask for its address when they start.
      adopt: () => services.brokerProcess?.start(),
      stop: () => services.brokerProcess?.stop(),
    }),
    brokerLink: (services) => {
      let stop = () => {}
      return {
        async start(isHost) {
          if (!isHost) return
          stop = watchRights(services)
          await services.mosquitto?.start()
          await services.brokerLink.start()
        },
        async stop() {
          stop()
          await services.brokerLink.stop()
          await services.mosquitto?.stop()
        },
      }
    },
  },
  sealed: [
    {
      table: 'broker_clients',
      key: ['username'],
      column: 'password',
      find: whole(({ username = '' }) => passwordContext(username)),
    },
  ],
})
