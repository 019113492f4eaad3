import type { DeviceLogEntry, LogEnd } from '@app/contract'
import type { Logger } from 'pino'
import type { Clock } from '../../../platform/clock.ts'
import type { Database } from '../../../platform/db/database.ts'
import type { Bus, BusEvent } from '../../../platform/events/bus.ts'
import { newId } from '../../../platform/ids.ts'
import type { BrokerLink } from '../../comms/index.ts'
import type { Host } from '../../hosting/index.ts'
import { type Channel, createChannel, type Viewer } from './log.channel.ts'
import { entriesOf } from './log.entries.ts'
import { createAssembly, createRelay, type Relayed } from './log.relay.ts'
import { deleteWatcher, extendWatchers, listWatchers, putWatcher } from './watchers.store.ts'

export interface LogStreamsDependencies {
  database: Database
  bus: Bus
  clock: Clock
  log: Logger
  host: Pick<Host, 'away'>
  brokerLink: Pick<BrokerLink, 'on' | 'publish' | 'deliver'>
}

/** Interval at which an agent is told that somebody watches, which also finds out whether it is still connected. */
const callMs = 10_000
/** A server that watches says so again before its word is old. */
const leaseMs = 60_000
/** Timeout for the server with the broker to say what it has. */
const relayMs = 10_000

export type LogStreams = ReturnType<typeof createLogStreams>

/**
 * The logs of devices that somebody watches now. The server that runs the instances has them from the broker; the others
 * leave word in the database that they watch, and have the lines relayed.
 */
export function createLogStreams({ database, bus, clock, log, host, brokerLink }: LogStreamsDependencies) {
  const me = newId()
  const channels = new Map<string, Channel>()
  const relay = createRelay({ database, bus, log })
  const assembly = createAssembly()
  /** Devices that were just told to stop. */
  const stopped = new Set<string>()
  let isHost = false
  let timer: NodeJS.Timeout | undefined
  let stops: (() => void)[] = []

  const warn = (what: string) => (error: unknown) => log.warn({ err: error }, what)
  const topicOf = (teamId: string, deviceId: string) => `ff/v1/${teamId}/d/${deviceId}/command`

  function stop({ teamId, deviceId }: Pick<Channel, 'teamId' | 'deviceId'>): void {
    if (stopped.has(deviceId)) return
    stopped.add(deviceId)
    setTimeout(() => stopped.delete(deviceId), 1_000).unref()
    brokerLink.publish(topicOf(teamId, deviceId), { command: 'stopLog' })
  }

  function endChannel(channel: Channel, why: LogEnd): void {
    const { deviceId, servers } = channel
    if (channels.get(deviceId) !== channel) return
    channels.delete(deviceId)
    channel.end(why)
    if (!isHost) return void leave(deviceId)
    if (servers.size > 0) relay.add({ device: deviceId, end: why })
  }

  /** Tells the agent that somebody watches. Agents that send already take no notice, or send what came since. */
  async function call(channel: Channel): Promise<void> {
    const since = channel.lines().at(-1)?.ts
    const command = { command: 'startLog', ...(since === undefined ? {} : { since }) }
    try {
      const isHeard = await brokerLink.deliver(topicOf(channel.teamId, channel.deviceId), command)
      if (!isHeard) endChannel(channel, 'unconnected')
    } catch {
      endChannel(channel, 'unavailable')
    }
  }

  function open(deviceId: string, teamId: string): Channel {
    const channel = createChannel(deviceId, teamId)
    channels.set(deviceId, channel)
    if (isHost) {
      // An agent that sends already, as after a restart of this server, would not send its history.
      brokerLink.publish(topicOf(teamId, deviceId), { command: 'stopLog' })
      void call(channel)
    } else follow(channel).catch(() => endChannel(channel, 'unavailable'))
    return channel
  }

  function closeUnwanted(channel: Channel): void {
    if (channel.isWanted() || channels.get(channel.deviceId) !== channel) return
    channels.delete(channel.deviceId)
    if (isHost) stop(channel)
    else void leave(channel.deviceId)
  }

  /** Has another server relay the log. @throws Error when none can. */
  async function follow(channel: Channel): Promise<void> {
    const { deviceId, teamId } = channel
    channel.isWhole = false
    if ((await host.away()) !== undefined) throw new Error('no server runs the instances')
    setTimeout(() => !channel.isWhole && endChannel(channel, 'unavailable'), relayMs).unref()
    await database.transact(async (tx) => {
      await putWatcher(tx, { device_id: deviceId, server_id: me, team_id: teamId, until: clock.now() + leaseMs })
      await bus.publish(tx, { type: 'deviceLogWatch', device: deviceId, server: me })
    })
  }

  async function leave(deviceId: string): Promise<void> {
    await database
      .transact(async (tx) => {
        await deleteWatcher(tx, deviceId, me)
        await bus.publish(tx, { type: 'deviceLogWatch', device: deviceId, server: me })
      })
      .catch(warn('a server could not say that nobody watches a device there'))
  }

  /** Reads which other servers watch. `asks`: the server that has just begun to watch this device. */
  async function refresh(asks?: { device: string; server: string }): Promise<void> {
    const rows = await listWatchers(database.read, clock.now())
    const watched = Map.groupBy(rows, ({ device_id }) => device_id)
    for (const [deviceId, [first]] of watched) if (!channels.has(deviceId)) open(deviceId, first!.team_id)
    for (const channel of channels.values()) {
      const { deviceId } = channel
      channel.servers = new Set(watched.get(deviceId)?.map(({ server_id }) => server_id))
      if (asks?.device === deviceId && channel.servers.has(asks.server))
        relay.add({ device: deviceId, to: asks.server, isAnswered: channel.isAnswered(), lines: [...channel.lines()] })
      closeUnwanted(channel)
    }
  }

  function take(channel: Channel, lines: DeviceLogEntry[]): void {
    channel.take(lines)
    if (channel.servers.size > 0) relay.add({ device: channel.deviceId, lines })
  }

  function hearRelayed({ device, to, lines = [], isAnswered = true, end }: Relayed): void {
    const channel = channels.get(device)
    if (!channel || (to !== undefined && to !== me)) return
    if (end) return endChannel(channel, end)
    if (to === undefined && !channel.isWhole) return
    channel.isWhole = true
    if (isAnswered) channel.take(lines)
  }

  function hear(event: BusEvent): void {
    if (event.type === 'deviceLogWatch' && isHost)
      refresh(event).catch(warn('another server that watches a device was not heard'))
    if (event.type !== 'deviceLogPart' || isHost) return
    const whole = assembly.take(event)
    if (whole) hearRelayed(whole)
  }

  /** Lines may have been missed: whoever watches begins anew, and gets them. */
  function skip(): void {
    assembly.clear()
    if (isHost) refresh().catch(warn('watched devices were not read'))
    else for (const channel of channels.values()) endChannel(channel, 'again')
  }

  async function tick(): Promise<void> {
    if (!isHost) {
      if (channels.size > 0) await extendWatchers(database.read, me, clock.now() + leaseMs)
      return
    }
    // Without PostgreSQL there is one server.
    if (database.url) await refresh()
    await Promise.all([...channels.values()].map(call))
  }

  brokerLink.on('logs', ({ teamId, deviceId, body }) => {
    const lines = entriesOf(body, clock.now())
    const channel = channels.get(deviceId)
    if (channel?.teamId !== teamId) return stop({ teamId, deviceId })
    if (lines) take(channel, lines)
  })

  return {
    /** Shows the log to a viewer, its history first. Returns what ends that. */
    watch(deviceId: string, teamId: string, viewer: Viewer): () => void {
      const channel = channels.get(deviceId) ?? open(deviceId, teamId)
      channel.join(viewer)
      return () => {
        channel.viewers.delete(viewer)
        closeUnwanted(channel)
      }
    },
    async start(isHere: boolean): Promise<void> {
      isHost = isHere
      stops = [bus.subscribe(hear), bus.onGap(skip)]
      timer = setInterval(() => void tick().catch(warn('watched devices were not called')), callMs)
      if (isHost && database.url) await refresh()
    },
    /** The viewers find another server. */
    drain(): void {
      for (const channel of channels.values()) channel.end('again')
    },
    stop(): void {
      clearInterval(timer)
      for (const one of stops) one()
      for (const channel of channels.values()) channel.end('again')
      relay.close()
    },
  }
}
