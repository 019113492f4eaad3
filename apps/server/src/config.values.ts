import { isIP } from 'node:net'
import * as z from 'zod'

/** A host name, perhaps with a port. */
export const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:\d{1,5})?$/i

/** Is this an IP address or a host name, without a port? */
export const isHost = (text: string): boolean => isIP(text) > 0 || (hostName.test(text) && !text.includes(':'))

/** A whole number of at most six digits between these two. */
export function wholeNumber(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .pipe(z.number().min(least).max(most))
}

/** A number of processors, or parts of one. */
export const processors = z
  .string()
  .regex(/^\d{1,4}(\.\d{1,2})?$/)
  .transform(Number)
  .pipe(z.number().min(0.1).max(1_024))

/** The ends of a range of user numbers, as `100000-165535`. */
export function userRange(text: string): { first: number; last: number } | undefined {
  const [first, last] = text.split('-').map(Number)
  return first === undefined || last === undefined ? undefined : { first, last }
}

/** Is this `none`, or a range of user numbers that a system can have? */
export function isUserRange(text: string): boolean {
  if (text === 'none') return true
  const range = /^\d{4,10}-\d{4,10}$/.test(text) ? userRange(text) : undefined
  // The highest number means "unchanged" to the system.
  return range !== undefined && range.first >= 1000 && range.first <= range.last && range.last < 2 ** 32 - 1
}

/** Is this the address of a site, without a path? */
export function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
}

/** Is this the address of a page, without a password? */
export function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '' && url.password === ''
}

/** Is this the address of a PostgreSQL database? */
export function isPostgres(text: string): boolean {
  const url = URL.parse(text)
  if (!url || !['postgres:', 'postgresql:'].includes(url.protocol) || url.hash !== '') return false
  // A bare / in the password ends the address early: the rest of it stands where the name of the database belongs.
  return /^\/[^/@]+$/.test(url.pathname)
}

/** The bytes of a text in base64. */
export function decoded(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

/** The parts of a text with commas between them. */
export const listed = (text: string): string[] => text.split(',').map((one) => one.trim())

/** Is this a key of 32 bytes in base64? */
export function isKey(text: string): boolean {
  // Node.js skips what is not base64, so only a text that comes out the same again was the key that was meant.
  return decoded(text).length === 32 && decoded(text).toString('base64') === text
}

/** Address of an MQTT broker. Who connects there is no part of it. */
export function isBrokerUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    url !== undefined &&
    /^(mqtts?|wss?):$/.test(url.protocol) &&
    url.hostname !== '' &&
    url.username + url.password === ''
  )
}
