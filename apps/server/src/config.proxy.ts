import { listed } from './config.values.ts'
import { isProxyRange } from './platform/proxy/trust.ts'

/** `false`, or addresses and networks with commas between them. A number would believe whoever connects. */
export const isProxyList = (text: string): boolean =>
  text === 'false' || listed(text).every((one) => !/^\d+$/.test(one) && isProxyRange(one))

/** None for `false`. */
export const proxyList = (text: string): string[] => (text === 'false' ? [] : listed(text))
