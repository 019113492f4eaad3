import * as z from 'zod/mini'
import { Id } from './primitives.ts'
import { anyone, inBrowser, may, route } from './route.ts'
import { behind } from './switches.ts'

const DeviceParams = z.object({ deviceId: Id })
const path = '/api/v1/devices/:deviceId/editor'

/** Empty while editor access of a device is off. `connected`: its agent holds the tunnel open. */
export const EditorAccess = z.object({
  enabled: z.optional(z.boolean()),
  connected: z.optional(z.boolean()),
  url: z.optional(z.string()),
})
export type EditorAccess = z.infer<typeof EditorAccess>

/** Does Node-RED of a device in this status answer, with or without its flows? Otherwise it has no editor. */
export const answersOnDevice = (status: string): boolean => status === 'running' || status === 'safe'

/** The editor of a device in developer mode, which people reach through a tunnel that its agent opens. */
export const deviceEditorRoutes = behind(['deviceEditor', 'projectComms', 'devices'], {
  'deviceEditor.get': route({
    method: 'GET',
    path,
    summary: 'Whether the editor of a device is open, and where',
    access: may('device:editor', 'device'),
    params: DeviceParams,
    reply: EditorAccess,
    errors: [],
  }),
  'deviceEditor.set': route({
    method: 'PUT',
    path,
    summary: 'Open the editor of a device that is in developer mode and runs, or close it',
    access: may('device:editor', 'device'),
    params: DeviceParams,
    /** Clients of former releases send `tunnel`. */
    body: z.object({ enabled: z.optional(z.boolean()), tunnel: z.optional(z.enum(['enable', 'disable'])) }).check(
      z.refine(({ enabled, tunnel }) => enabled !== undefined || tunnel !== undefined, {
        path: ['enabled'],
        error: 'Say whether the editor is to be enabled',
      }),
    ),
    reply: EditorAccess,
    errors: ['enable_editor_failed', 'device_unreachable', 'agent_outdated', 'instances_unavailable'],
    audit: 'team.device.remote-access.enabled',
    example: { body: { enabled: true } },
  }),
  'deviceEditor.enter': route({
    method: 'POST',
    path: `${path}/sessions`,
    summary: 'Let the caller into the editor of a device: an address that works once, for a minute',
    access: inBrowser(may('device:editor', 'device')),
    params: DeviceParams,
    reply: z.object({ url: z.string() }),
    errors: [],
    audit: 'team.device.remote-access.entered',
  }),
  'deviceEditor.token': route({
    method: 'GET',
    path: `${path}/token`,
    summary: 'Asked by Node-RED on a device about the token of its tunnel, in the header x-access-token',
    access: anyone,
    params: DeviceParams,
    reply: z.object({ username: z.literal('forge'), permissions: z.literal('*') }),
    errors: ['unauthorized'],
  }),
  'deviceEditor.comms': route({
    method: 'GET',
    path: `${path}/comms/:token`,
    summary: 'WebSocket: the tunnel of an agent, by the token it was told. Closed with 4004 while the editor is off',
    access: anyone,
    params: z.extend(DeviceParams, { token: z.string().check(z.maxLength(200)) }),
    errors: ['upgrade_required'],
    socket: true,
  }),
})
