import type { Config } from './config.ts'

/**
 * The addresses of instances as a pattern of a content security policy, `https://*.apps.example.com`. Undefined where a
 * browser cannot try a name that no instance has: with ports in the place of names, and with ACME, which gives such a
 * name no certificate.
 */
export function namesToTry({
  baseUrl,
  instanceDomain,
  instancePorts,
  tls,
}: Pick<Config, 'baseUrl' | 'instanceDomain' | 'instancePorts' | 'tls'>): string | undefined {
  if (instancePorts || tls?.source.kind === 'acme') return undefined
  return `${new URL(baseUrl).protocol}//*.${instanceDomain}`
}
