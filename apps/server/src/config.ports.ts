import { isIP } from 'node:net'
import * as z from 'zod'
import { optionally } from './config.setting.ts'

/** A range of TCP ports, both ends included. */
export interface PortRange {
  first: number
  last: number
}

function rangeOf(text: string): PortRange | undefined {
  const [first = 0, last = 0] = /^\d{4,5}-\d{4,5}$/.test(text) ? text.split('-').map(Number) : []
  return first >= 1024 && first <= last && last <= 65_535 ? { first, last } : undefined
}

/** The setting that gives instances ports of their own in the place of names. */
export const portSettings = {
  FORGE_INSTANCE_PORTS: optionally(
    z
      .string()
      .refine((text) => rangeOf(text) !== undefined)
      .transform((text) => rangeOf(text)!),
    {
      about:
        'Range of ports for instances, for networks without a wildcard name: each instance answers at the host of FORGE_BASE_URL, on a port of its own. Browsers separate such instances less than names do: see docs/addresses.md. Not together with FORGE_INSTANCE_DOMAIN.',
      expected: 'a range of ports from 1024 to 65535, the lower first, such as 21000-21999',
      example: '21000-21999',
    },
  ),
}

interface Values {
  FORGE_PORT: number
  FORGE_INSTANCE_PORTS?: PortRange | undefined
  FORGE_INSTANCE_DOMAIN?: string | undefined
  FORGE_TLS_PORT?: number | undefined
  FORGE_HTTP_REDIRECT_PORT?: number | undefined
  FORGE_BROKER_PORT?: number | undefined
}

const listening = ['FORGE_PORT', 'FORGE_TLS_PORT', 'FORGE_HTTP_REDIRECT_PORT', 'FORGE_BROKER_PORT'] as const

/** The settings about the addresses of instances that do not fit together, a sentence each. */
export function portProblems(values: Values, baseUrl: string, expectedDomain: string | undefined): string[] {
  const { FORGE_INSTANCE_PORTS: range, FORGE_INSTANCE_DOMAIN: domain } = values
  const url = new URL(baseUrl)
  if (!range) {
    if (domain || !isIP(url.hostname.replace(/[[\]]/g, ''))) return []
    return [
      `FORGE_INSTANCE_DOMAIN is not set, and FORGE_BASE_URL is the IP address "${baseUrl}", below which there are no names; it must be ${expectedDomain}. Or set FORGE_INSTANCE_PORTS.`,
    ]
  }
  if (domain) return ['FORGE_INSTANCE_PORTS and FORGE_INSTANCE_DOMAIN are both set; set one of them.']
  const holds = (port: number | undefined) => port !== undefined && port >= range.first && port <= range.last
  const taken = listening.filter((name) => holds(values[name])).map((name) => `${name}, ${values[name]}`)
  if (holds(Number(url.port))) taken.push(`the port of FORGE_BASE_URL, ${url.port}`)
  return taken.map((what) => `FORGE_INSTANCE_PORTS holds ${what}; choose a range without it.`)
}
