import mqtt, { type MqttClient } from 'mqtt'
import { setTimeout as sleep } from 'node:timers/promises'

export interface FleetDevice {
  id: string
  teamId: string
  broker: { username: string; password: string }
}

/** Agents wait so long at most until they connect anew, each another time. */
const againMs = { least: 1_000, most: 10_000 }
const reportMs = 60_000
/** So many connect at once in the beginning. */
const together = 100

/**
 * The connections that the agents of devices have, over MQTT on a TCP port. Each reports its state once a minute, as it was
 * told to be, and connects again when its connection ends.
 */
export function createFleet(port: number, devices: readonly FleetDevice[]) {
  const clients = new Map<string, MqttClient>()
  const wanted = new Map<string, object>()
  const timers = new Set<NodeJS.Timeout>()
  let open = 0
  let onUpdate: (id: string, at: number) => void = () => {}

  async function join({ id, teamId, broker }: FleetDevice): Promise<void> {
    const reconnectPeriod = againMs.least + Math.random() * (againMs.most - againMs.least)
    const client = mqtt.connect(`mqtt://127.0.0.1:${port}`, {
      ...broker,
      clientId: broker.username,
      protocolVersion: 5,
      keepalive: 300,
      reconnectPeriod,
      connectTimeout: 30_000,
    })
    clients.set(id, client)
    client.on('error', () => {})
    client.on('message', (_topic, payload) => {
      const { command, ...state } = JSON.parse(payload.toString()) as { command: string }
      if (command !== 'update') return
      wanted.set(id, state)
      onUpdate(id, performance.now())
    })
    const own = `ff/v1/${teamId}/d/${id}`
    const report = () => {
      const body = { state: 'stopped', agentVersion: '1.0.0', ...wanted.get(id) }
      if (client.connected) client.publish(`${own}/status`, JSON.stringify(body))
    }
    let isOpen = false
    client.on('connect', () => {
      isOpen = true
      open += 1
    })
    client.on('close', () => {
      if (isOpen) open -= 1
      isOpen = false
    })
    await new Promise<void>((resolve) => client.once('connect', () => resolve()))
    await client.subscribeAsync(`${own}/command`)
    report()
    timers.add(
      setTimeout(() => {
        report()
        timers.add(setInterval(report, reportMs))
      }, Math.random() * reportMs),
    )
  }

  return {
    open: () => open,
    /** All connect for the first time. */
    async joinAll(): Promise<void> {
      for (let at = 0; at < devices.length; at += together)
        await Promise.all(devices.slice(at, at + together).map(join))
    },
    /** Resolves once all are connected. @throws Error when they are not after `ms`. */
    async allOpen(ms: number): Promise<void> {
      for (const until = performance.now() + ms; open < devices.length; await sleep(50))
        if (performance.now() > until) throw new Error(`${devices.length - open} devices did not come back`)
    },
    /** Hears of every command that tells a device what it shall run. */
    hear(listener: typeof onUpdate): void {
      onUpdate = listener
    },
    async end(): Promise<void> {
      for (const timer of timers) clearInterval(timer)
      await Promise.all([...clients.values()].map((client) => client.endAsync(true)))
    },
  }
}

export type Fleet = ReturnType<typeof createFleet>
