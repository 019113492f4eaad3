import type { LaunchSpec } from '@app/contract/instance-link'

/** Where connections of this process to the platform go. */
export function platformAddress({ platformUrl }: Pick<LaunchSpec, 'platformUrl'>): { host: string; port: number } {
  const { hostname, port, protocol } = new URL(platformUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: Number(port || (protocol === 'https:' ? 443 : 80)) }
}
