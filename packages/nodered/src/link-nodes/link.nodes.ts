import type { LaunchSpec } from '@app/contract/instance-link'
import type { ProjectLink } from '@app/contract/runtime'
import { createRequire, Module } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PlatformClient } from '../platform.client.ts'
import { addLinkClient, type LinkClient } from './link.clients.ts'
import { boundWaiting, type Publisher } from './link.waiting.ts'

export interface LinkNodesOptions {
  platform: PlatformClient
  launch: Pick<LaunchSpec, 'src' | 'onTrial' | 'hold'>
  /** The platform's settings for messages; absent: they are switched off. */
  link: ProjectLink | undefined
  forgeUrl: string
  /** The instance, or that of the device. Without one, a device exchanges no messages. */
  instanceId: string
  /** Does the instance have several processes, of which one is to get each message? */
  isShared: boolean
}

/** The part of the settings of Node-RED that the link nodes read, and where they are. */
export interface LinkNodes {
  flowforge: object
  nodesDir: string
}

/** The package with the nodes `project link in`, `project link out` and `project link call`. */
const folder = fileURLToPath(new URL('../../../../node_modules/@flowfuse/nr-project-nodes', import.meta.url))

/** Maximum time that a node waits for the list of instances. */
const patience = 4_000
/** Pause before the next attempt to connect. A part is random, so that instances do not come back together. */
const againMs = { least: 1_000, more: 2_000 }

/**
 * Brings the link nodes. Their package loads its MQTT client only once flows use them, so that others pay nothing, and
 * asks the platform through the client of this process, which knows the way and the token.
 */
export function linkNodes({ platform, launch, link, forgeUrl, instanceId, isShared }: LinkNodesOptions) {
  if (!link || instanceId === '') return undefined
  const { team, broker } = link
  const { username } = broker
  const require = createRequire(join(folder, 'package.json'))
  putInPlace(require, 'got', { default: { extend: () => ({ get: askThrough(platform) }) } })
  putInPlace(require, 'mqtt', lazyMqtt(require))
  // Processes that serve at the same time need a session each; others continue that of the process before.
  const isBeside = launch.onTrial === true && launch.hold === undefined
  const clientId = `${username}:n${isShared || isBeside ? `:${launch.src}` : ''}`
  const projectLink = { broker: { ...broker, clientId }, useSharedSubscriptions: isShared, featureEnabled: true }
  return { flowforge: { forgeURL: forgeUrl, teamID: team, projectID: instanceId, projectLink }, nodesDir: folder }
}

/** As `got.get`, as far as the package uses it. */
const askThrough = (platform: PlatformClient) => async (url: string) => {
  const { pathname } = new URL(url)
  const answer = await platform.call(`${pathname}?brief=true`, { patience })
  return { statusCode: 200, statusMessage: 'OK', body: JSON.stringify(answer) }
}

interface Mqtt {
  connect(url: object, options: object): LinkClient & Publisher
}

function lazyMqtt(require: NodeJS.Require): Mqtt {
  const path = require.resolve('mqtt')
  let loaded: Mqtt | undefined
  return {
    connect(url, options) {
      if (!loaded) {
        delete require.cache[path]
        loaded = require(path) as Mqtt
      }
      const reconnectPeriod = againMs.least + Math.round(Math.random() * againMs.more)
      const client = loaded.connect(url, { ...options, reconnectPeriod })
      addLinkClient(client)
      boundWaiting(client)
      return client
    },
  }
}

/** Lets the package have `exports` where it requires `name`. */
function putInPlace(require: NodeJS.Require, name: string, exports: object): void {
  const path = require.resolve(name)
  require.cache[path] = Object.assign(new Module(path), { filename: path, loaded: true, exports })
}
