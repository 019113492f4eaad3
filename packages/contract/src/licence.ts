import * as z from 'zod/mini'
import { may, route } from './route.ts'

/** A licence as administrators see it. Limits that it does not have are null. */
export const Licence = z.object({
  id: z.string(),
  organisation: z.string(),
  tier: z.string(),
  validFrom: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** The same time under the name that installed clients read. */
  expires: z.iso.datetime(),
  expired: z.boolean(),
  dev: z.optional(z.literal(true)),
  note: z.optional(z.string()),
  /** The platform that it is for; absent: any. */
  platform: z.optional(z.string()),
  users: z.nullable(z.number()),
  teams: z.nullable(z.number()),
  projects: z.nullable(z.number()),
  devices: z.nullable(z.number()),
})
export type Licence = z.infer<typeof Licence>

/** Longest text of a licence that is looked at. */
export const licenceMax = 16_384

const LicenceUpdate = z.object({
  license: z
    .string()
    .check(z.trim(), z.minLength(1, 'Enter a license'), z.maxLength(licenceMax, 'This is too long for a license')),
  /** `inspect` tells what it says, `apply` puts it in force. */
  action: z.string().check(z.maxLength(20)),
})

const update = {
  access: may('license:edit', 'platform'),
  body: LicenceUpdate,
  reply: Licence,
  errors: ['invalid_license', 'invalid_license_action'],
  audit: 'platform.license.applied',
  example: { body: { license: 'eyJpZCI6…', action: 'inspect' } },
} as const

export const licenceRoutes = {
  'licence.get': route({
    method: 'GET',
    path: '/api/v1/admin/license',
    summary: 'Current licence; {} without one',
    access: may('license:read', 'platform'),
    reply: z.union([Licence, z.strictObject({})]),
    errors: [],
  }),
  'licence.update': route({
    method: 'PUT',
    path: '/api/v1/admin/license',
    summary: 'Inspect or apply a licence',
    ...update,
  }),
  'licence.updateByPost': route({
    method: 'POST',
    path: '/api/v1/admin/license',
    summary: 'Inspect or apply a licence, for clients that use POST',
    ...update,
  }),
}
