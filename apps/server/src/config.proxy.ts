import { isProxyRange } from './platform/proxy/trust.ts'

const entries = (text: string): string[] => text.split(',').map((one) => one.trim())

/** `false`, or addresses and networks with commas between them. A number would believe whoever connects. */
export const isProxyList = (text: string): boolean =>
  text === 'false' || entries(text).every((one) => !/^\d+$/.test(one) && isProxyRange(one))

/** None for `false`. */
export const proxyList = (text: string): string[] => (text === 'false' ? [] : entries(text))
