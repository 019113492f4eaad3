import * as z from 'zod/mini'
import { limits, patterns } from './constants.ts'
import { Id, Ok, page, PageQuery, TeamParams, Time } from './primitives.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** A token with which devices register themselves with a team. The secret itself is shown once, when it is made. */
export const ProvisioningToken = z.object({
  id: Id,
  name: z.string(),
  team: Id,
  /** The instance to which devices are assigned; absent: none. */
  instance: z.optional(Id),
  /** Absent while the instance is deleted: then nothing registers with this token. */
  instanceName: z.optional(z.string()),
  /** The name of the snapshot that a new device runs. */
  targetSnapshot: z.optional(z.string()),
  /** Null: it does not expire. Both names carry the same [PROV-08]. */
  expiresAt: z.nullable(Time),
  expiryAt: z.nullable(Time),
  createdAt: Time,
  /** Number of devices that registered with it, those that were deleted since included. */
  uses: z.number(),
  lastUsedAt: z.nullable(Time),
})
export type ProvisioningToken = z.infer<typeof ProvisioningToken>

const Name = z
  .string()
  .check(
    z.minLength(1, 'Give the token a name'),
    z.maxLength(limits.provisioningNameMax, `At most ${limits.provisioningNameMax} characters`),
    z.regex(patterns.provisioningName, 'Letters, digits, spaces, - and _ only'),
  )
const Expiry = z.optional(z.nullable(Time.check(z.maxLength(32))))
/** An empty text is no instance, as consoles of the installed base send it. */
const InstanceOrNone = z.optional(z.nullable(z.union([Id, z.literal('')])))
const times = { expiresAt: Expiry, expiryAt: Expiry }

export const ProvisioningTokenCreate = z.object({ name: Name, instance: InstanceOrNone, ...times })
export type ProvisioningTokenCreate = z.infer<typeof ProvisioningTokenCreate>
export const ProvisioningTokenPatch = z.object({ instance: InstanceOrNone, ...times })
export type ProvisioningTokenPatch = z.infer<typeof ProvisioningTokenPatch>

const path = '/api/v1/teams/:teamId/devices/provisioning'
const TokenParams = z.extend(TeamParams, { tokenId: Id })

export const provisioningRoutes = behind('devices', {
  'provisioning.list': route({
    method: 'GET',
    path,
    summary: 'Provisioning tokens of a team, newest first, without the secrets',
    access: may('team:device:provisioning-token:list', 'team'),
    params: TeamParams,
    query: PageQuery,
    reply: page('tokens', ProvisioningToken),
    errors: [],
  }),
  'provisioning.create': route({
    method: 'POST',
    path,
    summary: 'Create a provisioning token. Only this answer shows it',
    access: may('team:device:provisioning-token:create', 'team'),
    params: TeamParams,
    body: ProvisioningTokenCreate,
    reply: z.extend(ProvisioningToken, { token: z.string() }),
    errors: [],
    audit: 'team.device.provisioning.created',
    example: { body: { name: 'Line 3', expiresAt: '2030-01-01T00:00:00.000Z' } },
  }),
  'provisioning.update': route({
    method: 'PUT',
    path: `${path}/:tokenId`,
    summary: 'Update the instance and the expiry of a provisioning token. Its name stays',
    access: may('team:device:provisioning-token:edit', 'team'),
    params: TokenParams,
    body: ProvisioningTokenPatch,
    reply: ProvisioningToken,
    errors: [],
    audit: 'team.device.provisioning.updated',
    example: { body: { instance: '', expiresAt: null } },
  }),
  'provisioning.delete': route({
    method: 'DELETE',
    path: `${path}/:tokenId`,
    summary: 'Revoke a provisioning token at once. Devices registered with it stay',
    access: may('team:device:provisioning-token:delete', 'team'),
    params: TokenParams,
    reply: Ok,
    errors: [],
    audit: 'team.device.provisioning.deleted',
  }),
})
