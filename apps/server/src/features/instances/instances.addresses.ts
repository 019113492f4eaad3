import { deviceHostPrefix } from '@app/contract'
import type { Config } from '../../config.ts'
import type { Addresses } from './instances.view.ts'

/** The addresses of the console and of instances: a name each, or a port each where the settings give ports. */
export function createAddresses({
  baseUrl,
  instanceDomain,
  instancePorts: range,
}: Pick<Config, 'baseUrl' | 'instanceDomain' | 'instancePorts'>): Addresses {
  const { protocol, hostname } = new URL(baseUrl)
  return {
    baseUrl,
    deviceEditorUrl: (id) => `${protocol}//${deviceHostPrefix}${id}.${instanceDomain}/`,
    instanceUrl({ name, port }) {
      // One for which no port is left has an address that leads nowhere; Health says so (PORT03).
      const hasPort = range && port !== null && port >= range.first && port <= range.last
      return hasPort ? `${protocol}//${hostname}:${port}` : `${protocol}//${name.toLowerCase()}.${instanceDomain}`
    },
  }
}
