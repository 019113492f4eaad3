import type { LaunchSpec } from '@app/contract/instance-link'
import type { EditorInstance } from '@app/contract/runtime'
import type { ServerResponse } from 'node:http'
import type { PlatformClient } from '../platform.client.ts'
import { consoleUrl, type PlatformSettings } from '../settings.ts'
import type { Middleware, NodeRed } from '../stack.ts'

interface InstanceOptions {
  platform: PlatformClient
  launch: LaunchSpec
  settings: PlatformSettings
  forgeUrl: string
}

/** The header is not worth waiting for when the platform is away. */
const patience = 3_000

/**
 * Tells the editor's page which instance it edits, under `forge/instance` of the editor: where it belongs, its
 * environment and its page in the console. It is read anew for each page, since a pipeline may have changed.
 */
export function serveInstance(nodeRed: NodeRed, { platform, launch, settings, forgeUrl }: InstanceOptions): void {
  const favicon = iconOf(settings.page?.favicon)
  const answer: Middleware = (_request, given) => {
    const response = given as ServerResponse
    const reply = (more: object) => {
      const places = { url: consoleUrl(forgeUrl, launch.id), log: consoleUrl(forgeUrl, launch.id, 'logs') }
      const body = JSON.stringify({ ...places, ...(favicon ? { favicon } : {}), ...more })
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(body)
    }
    platform.call(`/api/v1/projects/${encodeURIComponent(launch.id)}/editor`, { patience }).then(
      (found) => {
        const { application, team, environment } = found as EditorInstance
        reply({ belongs: `${team} / ${application}`, environment })
      },
      () => reply({}),
    )
  }
  nodeRed.httpAdmin.get('/forge/instance', nodeRed.auth.needsPermission('settings.read'), answer)
}

/** Only what the browser fetches by itself: a path would be one of this machine. */
function iconOf(favicon: string | undefined): string | undefined {
  return favicon && /^(https?:\/\/|data:image\/)/.test(favicon) ? favicon : undefined
}
