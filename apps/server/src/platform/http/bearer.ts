import type { IncomingHttpHeaders } from 'node:http'

/** The bearer token of a request; undefined without one. */
export const bearerOf = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^Bearer (.+)$/i.exec(authorization)?.[1]
