import * as z from 'zod/mini'

/** Events that a running instance or a device may report: those of Node-RED and of its launcher. All others are refused. */
export const reportedEvents = [
  'start-failed',
  'crashed',
  'stopped',
  'safe-mode',
  'auth.login',
  'auth.logout',
  'auth.login.revoke',
  'auth.login.fail.oauth',
  'auth.login.fail.credentials',
  'auth.login.fail.permissions',
  'auth.login.fail.too-many-attempts',
  'permission.fail',
  'api.error',
  'settings.update',
  'flows.set',
  'flows.setState',
  'flows.reload',
  'flow.add',
  'flow.update',
  'flow.remove',
  'library.set',
  'nodes.install',
  'nodes.remove',
  'nodes.enable',
  'nodes.disable',
  'nodes.set',
  'nodes.info.set',
  'nodes.module.set',
  'modules.install',
  'context.delete',
] as const

/** Launchers and agents of the installed base report these readings too. They are taken and not recorded. */
const readings = ['flows.getState', 'library.getConfig'] as const
export const isReading = (event: string): boolean => (readings as readonly string[]).includes(event)

/** An event inside Node-RED, as reported by a running instance or a device. */
export const EventReport = z.looseObject({
  event: z.enum([...reportedEvents, ...readings], 'Not an event of Node-RED'),
  timestamp: z.optional(z.number()),
  /** Id of the person who did it, or an object that holds it. */
  user: z.optional(z.unknown()),
  error: z.optional(z.unknown()),
  /** Shows who did it, as the editor was given it for this person: without, that is recorded as a claim. */
  editorToken: z.optional(z.string().check(z.maxLength(250))),
})
export type EventReport = z.infer<typeof EventReport>
