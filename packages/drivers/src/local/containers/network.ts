import { connect, createServer, type Server } from 'node:net'
import { containerHost } from '@app/contract/instance-link.constants'
import { DriverError } from '../../driver.ts'
import { type Engine, unless } from './engine.ts'

const againMs = 1_000

interface Network {
  Id: string
  Name: string
  Created: string
  IPAM: { Config?: { Gateway?: string }[] }
}

/**
 * The network of the containers. They reach what this machine reaches, and not each other. Its gateway is this machine,
 * where containers find the platform.
 */
export function createNetwork(engine: Engine, name: string) {
  let relay: { server: Server; port: number } | undefined
  let again: NodeJS.Timeout | undefined
  let closed = false
  let making: Promise<Network> | undefined

  async function gateway(): Promise<string> {
    const found = (await oldest()) ?? (await (making ??= make().finally(() => (making = undefined))))
    const address = found.IPAM.Config?.find(({ Gateway }) => Gateway)?.Gateway?.replace(/\/\d+$/, '')
    if (address === undefined)
      throw new DriverError('engine_network', `The network ${name} of the engine has no gateway`)
    return address
  }

  /**
   * The network of this name. An engine that is asked twice in one moment makes two, and refuses the name from then on:
   * the older one stays.
   */
  async function oldest(): Promise<Network | undefined> {
    const query = { filters: JSON.stringify({ name: [`^${name}$`] }) }
    const listed = await engine.ask<Network[]>('GET', '/networks', { query })
    const [first, ...others] = listed
      .filter(({ Name }) => Name === name)
      .toSorted((a, b) => Date.parse(a.Created) - Date.parse(b.Created) || (a.Id < b.Id ? -1 : 1))
    for (const { Id } of others) await unless(engine.ask('DELETE', `/networks/${Id}`), 403, 404, 409)
    return first
  }

  async function make(): Promise<Network> {
    const body = {
      Name: name,
      CheckDuplicate: true,
      Driver: 'bridge',
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      Labels: { 'flowforge.network': '1' },
    }
    // Another server may have made it just now.
    await unless(engine.ask('POST', '/networks/create', { body }), 409)
    const made = await oldest()
    if (!made) throw new DriverError('engine_network', `The network ${name} of the engine is gone again`)
    return made
  }

  /**
   * A platform that listens on this machine alone is brought to where containers reach this machine. One that listens
   * there itself needs nothing.
   */
  function open(host: string, port: number): void {
    if (relay?.port === port || closed) return
    relay?.server.close()
    clearTimeout(again)
    const server = createServer({ allowHalfOpen: true }, (incoming) => {
      const onward = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
      incoming.on('error', () => onward.destroy()).on('close', () => onward.destroy())
      onward.on('error', () => incoming.destroy()).on('close', () => incoming.destroy())
      incoming.pipe(onward).pipe(incoming)
    })
    relay = { server, port }
    server.on('error', () => {
      // The platform itself may listen there, or one that is about to end.
      if (relay?.server === server) relay = undefined
      again = setTimeout(() => open(host, port), againMs).unref()
    })
    server.listen(port, host)
    server.unref()
  }

  return {
    name,
    gateway,

    /** The names that a container has to know, so that it finds the platform at its address. */
    async hostsFor(platformUrl: string): Promise<{ hosts: string[]; address?: string }> {
      const { hostname, port } = new URL(platformUrl)
      if (hostname !== containerHost) return { hosts: [] }
      const address = await gateway()
      open(address, Number(port || 80))
      return { hosts: [`${containerHost}:${address}`], address }
    },

    close(): void {
      closed = true
      clearTimeout(again)
      relay?.server.close()
    },
  }
}
