import * as z from 'zod/mini'

export type AuditScope = 'platform' | 'user' | 'team' | 'project'

const Ref = z.object({ id: z.string(), name: z.string() })
const Change = z.object({
  key: z.string(),
  old: z.optional(z.unknown()),
  new: z.optional(z.unknown()),
  dif: z.enum(['created', 'updated', 'deleted']),
})

/** The objects an entry's body is made of; an event names the ones it always carries. */
export const AuditBody = z.partial(
  z.object({
    team: z.object({ id: z.string(), name: z.string(), slug: z.string(), type: z.optional(z.string()) }),
    application: Ref,
    /** Where something was before. */
    sourceApplication: Ref,
    project: Ref,
    sourceProject: Ref,
    targetProject: Ref,
    pipeline: Ref,
    pipelineStage: Ref,
    snapshot: Ref,
    device: Ref,
    projectType: Ref,
    stack: Ref,
    /** For somebody invited by address, only the address is known; `role` is the name of a role. */
    user: z.partial(
      z.object({ id: z.string(), name: z.string(), username: z.string(), email: z.string(), role: z.string() }),
    ),
    /** The person whom an instance or a device named without showing that it was them. */
    claimedUser: z.object({ id: z.string(), name: z.string(), username: z.string() }),
    /** A role without a user; one of a user stands there. */
    role: z.object({ role: z.string() }),
    updates: z.array(Change),
    info: z.record(z.string(), z.unknown()),
    /** The checkout and the subscription at the payment provider. */
    billingSession: z.object({ id: z.string() }),
    subscription: z.object({ subscription: z.string() }),
    /** The details of a licence. */
    license: z.record(z.string(), z.unknown()),
    error: z.object({ code: z.string(), message: z.string() }),
  }),
)
export type AuditBody = z.infer<typeof AuditBody>
export type AuditChange = z.infer<typeof Change>
type BodyKey = keyof AuditBody

interface AuditEvent {
  scopes: readonly AuditScope[]
  label: string
  body: readonly BodyKey[]
}

function event<const B extends readonly BodyKey[]>(scopes: AuditScope | readonly AuditScope[], label: string, body: B) {
  return { scopes: [scopes].flat() as readonly AuditScope[], label, body }
}

/** Every event the platform records: whose log(s) it stands in, its label, what its body always carries. */
export const auditEvents = {
  'account.login': event('user', 'User signed in', []),
  'account.sso-linked': event('user', 'Single sign-on linked', ['user', 'info']),
  'account.logout': event('user', 'User signed out', []),
  'account.register': event('user', 'User registered', ['user']),
  'account.forgot-password': event('user', 'Password reset requested', ['user']),
  'account.reset-password': event('user', 'Password reset', ['user']),
  'account.verify.request-token': event('user', 'Verification mail requested', []),
  'account.verify.verify-token': event('user', 'E-mail address verified', []),
  'account.verify.auto-create-team': event('user', 'Personal team created', []),
  'account.change-email-request': event('user', 'E-mail change requested', ['user']),
  'account.change-email-cancelled': event('user', 'E-mail change cancelled', []),
  'account.change-email-confirmed': event('user', 'E-mail change confirmed', []),
  'user.updated-user': event('user', 'User changed own profile', ['updates']),
  'user.updated-password': event('user', 'User changed own password', []),
  'user.session.revoked': event('user', 'Session ended', []),
  'user.second-factor.added': event('user', 'Second factor added', ['info']),
  'user.second-factor.removed': event('user', 'Second factor removed', ['info']),
  'user.second-factor.recovery-codes': event('user', 'Recovery codes created', []),
  'user.second-factor.recovery-code-used': event('user', 'Recovery code used', ['info']),
  'user.token.created': event('user', 'Access token created', ['info']),
  'user.token.revoked': event('user', 'Access token revoked', ['info']),
  'user.deleted': event('user', 'User deleted own account', ['user']),
  'user.invitation.accepted': event('user', 'Invitation accepted', []),
  'user.invitation.deleted': event('user', 'Invitation declined', []),
  'users.created-user': event('user', 'User created', ['user']),
  'users.auto-created-team': event('user', 'Personal team created', ['team', 'user']),
  'users.deleted-user': event('user', 'User deleted', ['user']),
  'users.updated-user': event('user', 'User changed', ['user', 'updates']),
  'users.second-factor.reset': event('user', 'Second factors reset by an administrator', ['user']),
  'users.sessions-ended': event('user', 'Sessions ended by an administrator', ['user']),
  'users.link-created': event('user', 'Link handed over by an administrator', ['user', 'info']),
  'platform.setup.completed': event('platform', 'Platform set up', ['user']),
  'platform.settings.updated': event('platform', 'Platform settings changed', ['updates']),
  'platform.sso.provider.created': event('platform', 'SSO configuration created', ['info']),
  'platform.sso.provider.updated': event('platform', 'SSO configuration changed', ['info', 'updates']),
  'platform.sso.rules.updated': event('platform', 'Group rules of an SSO configuration changed', ['info', 'updates']),
  'platform.sso.provider.deleted': event('platform', 'SSO configuration deleted', ['info']),
  'platform.backup.created': event('platform', 'Backup created', ['info']),
  'platform.backup.downloaded': event('platform', 'Backup downloaded', ['info']),
  'platform.backup.deleted': event('platform', 'Backup deleted', ['info']),
  'platform.master-key.replaced': event('platform', 'Master key replaced from the shell', ['info']),
  'platform.restored': event('platform', 'Platform restored from a backup', ['info']),
  'platform.job.retried': event('platform', 'Job retried', ['info']),
  'platform.job.cancelled': event('platform', 'Job cancelled', ['info']),
  'users.made-admin': event('user', 'User made an administrator from the shell', ['user']),
  'users.suspension-lifted': event('user', 'Suspension lifted from the shell', ['user']),
  'platform.project-type.created': event('platform', 'Instance type created', ['projectType']),
  'platform.project-type.updated': event('platform', 'Instance type changed', ['projectType', 'updates']),
  'platform.project-type.deleted': event('platform', 'Instance type deleted', ['projectType']),
  'platform.team-type.created': event('platform', 'Team type created', ['info']),
  'platform.team-type.updated': event('platform', 'Team type changed', ['info', 'updates']),
  'platform.team-type.deleted': event('platform', 'Team type deleted', ['info']),
  'platform.stack.created': event('platform', 'Stack created', ['stack']),
  'platform.stack.updated': event('platform', 'Stack changed', ['stack', 'updates']),
  'platform.stack.deleted': event('platform', 'Stack deleted', ['stack']),
  'platform.template.created': event('platform', 'Template created', ['info']),
  'platform.template.updated': event('platform', 'Template changed', ['info', 'updates']),
  'platform.template.deleted': event('platform', 'Template deleted', ['info']),
  'platform.license.applied': event('platform', 'License applied', ['license']),
  'platform.license.inspected': event('platform', 'License checked', ['license']),
  'platform.license.overage': event('platform', 'License limit exceeded', ['info']),
  'platform.stats-token.created': event('platform', 'Statistics token created', []),
  'platform.stats-token.deleted': event('platform', 'Statistics token deleted', []),
  'platform.scim-token.created': event('platform', 'SCIM token created', ['info']),
  'platform.scim-token.deleted': event('platform', 'SCIM token revoked', ['info']),
  'platform.scim-group.created': event('platform', 'Group of a directory created', ['info']),
  'platform.scim-group.updated': event('platform', 'Group of a directory changed', ['info']),
  'platform.scim-group.deleted': event('platform', 'Group of a directory deleted', ['info']),
  'platform.audit-log.exported': event('platform', 'Audit log exported', ['info']),
  'platform.audit-log.trimmed': event('platform', 'Old audit entries removed', ['info']),
  'platform.team.created': event('platform', 'Team created', ['team']),
  'platform.team.deleted': event('platform', 'Team deleted', ['team']),
  'team.deleted': event('team', 'Team deleted', ['team']),
  'team.created': event('team', 'Team created', ['team']),
  'team.type.changed': event('team', 'Team type changed', ['team', 'updates']),
  'team.settings.updated': event('team', 'Team settings changed', ['team', 'updates']),
  'team.audit-log.exported': event('team', 'Audit log exported', ['info']),
  'team.user.added': event('team', 'Member added by a group rule', ['user', 'info']),
  'team.user.removed': event('team', 'Member removed', ['user']),
  'team.user.invited': event('team', 'Member invited', ['user']),
  'team.user.uninvited': event('team', 'Invitation withdrawn', ['user']),
  'team.user.invite.accepted': event('team', 'Invitation accepted', ['user']),
  'team.user.invite.rejected': event('team', 'Invitation declined', ['user']),
  'team.user.role-changed': event('team', 'Member role changed', ['user', 'updates']),
  'team.device.created': event('team', 'Device created', ['device']),
  'team.device.updated': event('team', 'Device changed', ['device', 'updates']),
  'team.device.deleted': event('team', 'Device deleted', ['device']),
  'team.device.assigned': event('team', 'Device assigned to an instance', ['device', 'project']),
  'team.device.unassigned': event('team', 'Device removed from an instance', ['device', 'project']),
  'team.device.credentials-generated': event('team', 'Device credentials generated', ['device']),
  'team.device.started': event('team', 'Device flows started', ['device']),
  'team.device.restarted': event('team', 'Device flows restarted', ['device']),
  'team.device.suspended': event('team', 'Device flows suspended', ['device']),
  'team.device.agent.update-requested': event('team', 'Device agent update requested', ['device', 'info']),
  'team.device.developer-mode.enabled': event('team', 'Developer mode switched on', ['device']),
  'team.device.developer-mode.disabled': event('team', 'Developer mode switched off', ['device']),
  'team.device.remote-access.enabled': event('team', 'Device editor opened up', ['device']),
  'team.device.remote-access.disabled': event('team', 'Device editor closed', ['device']),
  'team.device.remote-access.entered': event('team', 'Device editor entered', ['device']),
  'team.device.provisioning.created': event('team', 'Provisioning token created', ['info']),
  'team.device.provisioning.updated': event('team', 'Provisioning token changed', ['info', 'updates']),
  'team.device.provisioning.deleted': event('team', 'Provisioning token deleted', ['info']),
  'billing.session.created': event('team', 'Checkout started', ['team', 'billingSession']),
  'billing.session.completed': event('team', 'Checkout completed', ['team', 'billingSession']),
  'billing.subscription.updated': event('team', 'Subscription changed', ['team', 'subscription', 'updates']),
  'billing.subscription.corrected': event('team', 'Subscription corrected', ['team', 'subscription', 'info']),
  'billing.subscription.credit-applied': event('team', 'Free credit applied', ['team', 'subscription', 'updates']),
  'billing.subscription.deleted': event('team', 'Subscription ended', ['team', 'subscription']),
  'billing.trial.started': event('team', 'Trial started', ['team', 'info']),
  'billing.trial.ended': event('team', 'Trial ended', ['team']),
  'application.created': event('team', 'Application created', ['team', 'application']),
  'application.updated': event('team', 'Application changed', ['team', 'application', 'updates']),
  'application.deleted': event('team', 'Application deleted', ['team', 'application']),
  'application.member.added': event('team', 'Member added to an application', ['team', 'application', 'user']),
  'application.member.role-changed': event('team', 'Member role in an application changed', [
    'team',
    'application',
    'user',
    'updates',
  ]),
  'application.member.removed': event('team', 'Member removed from an application', ['team', 'application', 'user']),
  'application.pipeline.created': event('team', 'Pipeline created', ['team', 'application', 'pipeline']),
  'application.pipeline.updated': event('team', 'Pipeline changed', ['team', 'application', 'pipeline', 'updates']),
  'application.pipeline.deleted': event('team', 'Pipeline deleted', ['team', 'application', 'pipeline']),
  'application.pipeline.stage-added': event('team', 'Pipeline stage added', [
    'team',
    'application',
    'pipeline',
    'pipelineStage',
  ]),
  'application.pipeline.stage-updated': event('team', 'Pipeline stage changed', [
    'team',
    'application',
    'pipeline',
    'pipelineStage',
    'updates',
  ]),
  'application.pipeline.stage-deleted': event('team', 'Pipeline stage deleted', [
    'team',
    'application',
    'pipeline',
    'pipelineStage',
  ]),
  'project.created': event(['team', 'project'], 'Instance created', ['team', 'project']),
  'project.deleted': event(['team', 'project'], 'Instance deleted', ['team', 'project']),
  'project.undeleted': event(['team', 'project'], 'Deleted instance restored', ['team', 'project']),
  'project.removed': event('team', 'Deleted instance permanently removed', ['team', 'project']),
  'project.started': event('project', 'Instance started', ['project']),
  'project.start-failed': event('project', 'Instance failed to start', ['error']),
  'project.stopped': event('project', 'Instance stopped', ['project']),
  'project.restarted': event('project', 'Instance restarted', ['project']),
  'project.suspended': event('project', 'Instance suspended', ['project']),
  'project.settings.updated': event('project', 'Instance settings changed', ['project', 'updates']),
  'project.duplicated': event(['team', 'project'], 'Instance duplicated', ['project', 'sourceProject']),
  'project.copied': event('project', 'Copied to another instance', ['project', 'targetProject']),
  'project.imported': event('project', 'Imported from another instance', ['project', 'sourceProject']),
  'project.assigned-to-pipeline-stage': event('project', 'Added to a pipeline stage', [
    'project',
    'pipeline',
    'pipelineStage',
  ]),
  'project.moved': event(['team', 'project'], 'Instance moved to another application', [
    'project',
    'application',
    'sourceApplication',
  ]),
  'project.flow-imported': event('project', 'Flows imported from a file', ['project']),
  'project.snapshot.created': event('project', 'Snapshot created', ['project', 'snapshot']),
  'project.snapshot.rolled-back': event('project', 'Rolled back to a snapshot', ['project', 'snapshot']),
  'project.snapshot.deleted': event('project', 'Snapshot deleted', ['project', 'snapshot']),
  'project.snapshot.device-target-set': event('project', 'Device target snapshot set', ['project']),
  'project.device.snapshot.created': event('project', 'Snapshot taken from a device', [
    'project',
    'device',
    'snapshot',
  ]),
  'project.device.assigned': event('project', 'Device assigned', ['project', 'device']),
  'project.device.unassigned': event('project', 'Device removed', ['project', 'device']),
  'project.flow-restored': event('project', 'Earlier flows restored', ['project', 'info']),
  'project.stack.changed': event('project', 'Stack changed', ['project', 'stack']),
  'project.context.deleted': event('project', 'Persistent context deleted', ['project', 'info']),
  'project.ha.updated': event('project', 'High availability changed', ['project', 'updates']),
  'project.type.changed': event('project', 'Instance type changed', ['project', 'projectType']),
  'auth.login': event('project', 'Signed in to the editor', []),
  'auth.logout': event('project', 'Signed out of the editor', []),
  'auth.login.revoke': event('project', 'Editor session ended', []),
  'auth.login.fail.oauth': event('project', 'Sign-in to the editor failed', ['info']),
  'auth.login.fail.credentials': event('project', 'Sign-in to the editor failed', ['info']),
  'auth.login.fail.permissions': event('project', 'Sign-in to the editor failed', ['info']),
  'auth.login.fail.too-many-attempts': event('project', 'Sign-in to the editor failed', ['info']),
  'api.error': event('project', 'Editor request failed', ['info']),
  'permission.fail': event('project', 'Editor access denied', ['info']),
  crashed: event('project', 'Node-RED crashed', []),
  stopped: event('project', 'Node-RED stopped', []),
  'safe-mode': event('project', 'Node-RED started in safe mode', []),
  'settings.update': event('project', 'Node-RED settings changed', ['info']),
  'flows.set': event('project', 'Flows deployed', ['info']),
  'flow.add': event('project', 'Flow added', ['info']),
  'flow.update': event('project', 'Flow changed', ['info']),
  'flow.remove': event('project', 'Flow removed', ['info']),
  'flows.setState': event('project', 'Flows started or stopped', ['info']),
  'flows.reload': event('project', 'Flows reloaded', ['info']),
  'team.library.deleted': event('team', 'Deleted from the library', ['info']),
  'library.set': event('project', 'Saved to the library', ['info']),
  'nodes.install': event('project', 'Nodes installed', ['info']),
  'nodes.remove': event('project', 'Nodes removed', ['info']),
  'nodes.enable': event('project', 'Nodes switched on or off', ['info']),
  'nodes.disable': event('project', 'Nodes switched on or off', ['info']),
  'nodes.set': event('project', 'Nodes switched on or off', ['info']),
  'nodes.info.set': event('project', 'Nodes switched on or off', ['info']),
  'nodes.module.set': event('project', 'Nodes switched on or off', ['info']),
  'modules.install': event('project', 'Modules installed', ['info']),
  'context.delete': event('project', 'Context value deleted', ['info']),
} as const satisfies Record<string, AuditEvent>

export type AuditKey = keyof typeof auditEvents

/** The body a given event must carry; every event may carry an error as well. */
export type BodyFor<K extends AuditKey> = Required<Pick<AuditBody, (typeof auditEvents)[K]['body'][number]>> & AuditBody

/** Label of an event key; an unknown key is its own label (AUDIT-21). */
export function auditLabel(key: string): string {
  return (auditEvents as Record<string, AuditEvent | undefined>)[key]?.label ?? key
}

/** The line of an entry: its label, or for a refused sign-in who it was about and from where. */
export function auditTitle({ event, body, address }: Pick<AuditEntry, 'event' | 'body' | 'address'>): string {
  const { user, error } = AuditBody.safeParse(body).data ?? {}
  if (event !== 'account.login' || !error) return auditLabel(event)
  return `Sign-in failed: ${user?.username ?? 'unknown user'}${address ? `, from ${address}` : ''}`
}

const icons: [RegExp, string][] = [
  [/^(account|auth)\./, 'sign-in'],
  [/^(users?\.|team\.user\.)/, 'user'],
  [/^(team|project)\.device\./, 'device'],
  [/pipeline/, 'pipeline'],
  [/^application\./, 'application'],
  [/^project\.snapshot\./, 'snapshot'],
  [/^project\./, 'instance'],
  [/^billing\./, 'billing'],
  [/^platform\.license\./, 'licence'],
  [/^platform\.(project|team)-type\./, 'type'],
  [/\.stack\./, 'stack'],
  [/\.settings\./, 'settings'],
  [/^(crashed|stopped|safe-mode|(flows|nodes|library|context)\..*)$/, 'runtime'],
]

/** Icon category of an event key: the first match in the order of docs/specification/audit-log.md. */
export function auditIcon(key: string): string {
  return icons.find(([pattern]) => pattern.test(key))?.[1] ?? 'general'
}

export const AuditEntry = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  event: z.string(),
  username: z.nullable(z.string()),
  scope: z.object({ id: z.string(), type: z.enum(['platform', 'user', 'team', 'project']) }),
  trigger: z.object({ id: z.nullable(z.string()), type: z.enum(['user', 'system', 'unknown']), name: z.string() }),
  /** From where; null when that is not known, or not for whoever asks: owners and administrators are told. */
  address: z.nullable(z.string()),
  body: z.looseObject({}),
})
export type AuditEntry = z.infer<typeof AuditEntry>

/** Entries of a log, newest first. */
export const AuditPage = z.object({
  meta: z.object({
    next_cursor: z.optional(z.string()),
    /** Share of the search index that is built, in percent, while it is: older matches are then on the next pages. */
    indexing: z.optional(z.int()),
  }),
  count: z.number(),
  log: z.array(AuditEntry),
})
export type AuditPage = z.infer<typeof AuditPage>

const text = z.string().check(z.maxLength(200))

/** The filters of an audit log. `event` may be repeated; `search` is another name of `query`. */
const filters = {
  username: z.optional(text),
  query: z.optional(text),
  search: z.optional(text),
  event: z.optional(z.union([z.string(), z.array(z.string()).check(z.maxLength(50))])),
  /** The first time that counts, and the first that does not. */
  from: z.optional(z.iso.datetime()),
  to: z.optional(z.iso.datetime()),
}

/** Query of every audit log: filters, then the keyset page. */
export const AuditQuery = z.object({
  cursor: z.optional(z.string().check(z.regex(/^[0-9]{1,18}$/, 'Not a valid cursor'))),
  limit: z.optional(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(1000))),
  ...filters,
})
export type AuditQuery = z.infer<typeof AuditQuery>

/** Query of an export: the same filters, and the kind of file. */
export const AuditExportQuery = z.object({ format: z.enum(['csv', 'json']), ...filters })
export type AuditExportQuery = z.infer<typeof AuditExportQuery>
