import type { Bus } from '../../platform/events/bus.ts'
import type { BrokerProcess } from './broker.process.ts'
import type { Mosquitto } from './mosquitto.ts'

interface WatchDependencies {
  bus: Bus
  brokerProcess: BrokerProcess | undefined
  mosquitto: Mosquitto | undefined
}

/** Tells the broker whose rights a transaction has changed, unless it asks each time. Returns what ends it. */
export function watchRights({ bus, brokerProcess, mosquitto }: WatchDependencies): () => void {
  const recheck = (users?: readonly string[]) => {
    brokerProcess?.recheck(users)
    mosquitto?.recheck(users)
  }
  const stops = [
    bus.subscribe((event) => {
      if (event.type !== 'comms') return
      const { users, devices, instance, dropped } = event
      if (users && dropped) {
        brokerProcess?.drop(users)
        mosquitto?.recheck(users)
      } else if (users) recheck(users)
      else if (!devices && instance === undefined) recheck()
    }),
    bus.onGap(() => recheck()),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
