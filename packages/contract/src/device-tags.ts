import * as z from 'zod/mini'
import { limits } from './constants.ts'
import { TeamParams } from './primitives.ts'
import { may, route, withinReach } from './route.ts'
import { behind } from './switches.ts'

/** A label of devices: one word in lower case. */
export const DeviceTag = z
  .string()
  .check(
    z.trim(),
    z.normalize('NFC'),
    z.toLowerCase(),
    z.maxLength(limits.tagMax, `At most ${limits.tagMax} characters`),
    z.regex(/^[\p{L}\p{N}][\p{L}\p{M}\p{N}._:-]*$/u, 'A tag is one word of letters, digits and . _ : -'),
  )

/** The tags of one device. A tag that is named twice counts once. */
export const DeviceTags = z.array(DeviceTag).check(z.maxLength(limits.deviceTags, `At most ${limits.deviceTags} tags`))

export const deviceTagRoutes = behind('devices', {
  'device.tagsOfTeam': route({
    method: 'GET',
    path: '/api/v1/teams/:teamId/devices/tags',
    summary: `Tags of the devices of a team, the most used first, at most ${limits.listedTags}`,
    access: withinReach(may('team:device:list', 'team')),
    params: TeamParams,
    reply: z.object({ tags: z.array(z.object({ tag: z.string(), devices: z.number() })) }),
    errors: [],
  }),
})
