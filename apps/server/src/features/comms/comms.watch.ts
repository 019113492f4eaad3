import type { Bus } from '../../platform/events/bus.ts'
import type { BrokerProcess } from './broker.process.ts'

interface WatchDependencies {
  bus: Bus
  brokerProcess: BrokerProcess | undefined
}

/** Has the embedded broker ask anew for the rights of clients that a transaction changed. Returns what ends it. */
export function watchRights({ bus, brokerProcess }: WatchDependencies): () => void {
  const stops = [
    bus.subscribe((event) => {
      if (event.type !== 'comms') return
      const { users, devices, instance, dropped } = event
      if (users && dropped) brokerProcess?.drop(users)
      else if (users) brokerProcess?.recheck(users)
      else if (!devices && instance === undefined) brokerProcess?.recheck()
    }),
    bus.onGap(() => brokerProcess?.recheck()),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
