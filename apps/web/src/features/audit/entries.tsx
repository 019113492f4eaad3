import {
  type AuditChange,
  type AuditEntry,
  AuditBody,
  auditEvents,
  auditIcon,
  auditTitle,
  type AuditKey,
} from '@app/contract/audit'
import {
  Activity,
  BadgeCheck,
  Box,
  Boxes,
  CreditCard,
  Cpu,
  GitBranch,
  History,
  Layers,
  LogIn,
  type LucideIcon,
  ScrollText,
  Settings,
  UserRound,
  Workflow,
} from 'lucide-react'
import { formatSize } from '../../lib/sizes.ts'
import type { TimelineEntry } from '../../ui/AuditTimeline.tsx'

const icons: Record<string, LucideIcon> = {
  'sign-in': LogIn,
  user: UserRound,
  device: Cpu,
  application: Layers,
  instance: Box,
  billing: CreditCard,
  settings: Settings,
  snapshot: History,
  runtime: Workflow,
  pipeline: GitBranch,
  type: Boxes,
  stack: Layers,
  licence: BadgeCheck,
  general: ScrollText,
}

/** An audit entry as the timeline shows it. */
export function toTimeline(entry: AuditEntry): TimelineEntry {
  const body = AuditBody.safeParse(entry.body).data ?? {}
  const Icon = icons[auditIcon(entry.event)] ?? Activity
  const info = describe(entry.event, body)
  // Its title says who and from where.
  const isRefusedSignIn = entry.event === 'account.login' && body.error !== undefined
  return {
    id: entry.id,
    time: Date.parse(entry.createdAt),
    icon: <Icon />,
    label: auditTitle(entry),
    ...(isRefusedSignIn ? {} : { who: `${entry.trigger.name}${entry.address ? `, from ${entry.address}` : ''}` }),
    ...(info ? { info } : {}),
    ...(body.error ? { error: { message: body.error.message, detail: JSON.stringify(body.error, null, 2) } } : {}),
  }
}

type Subject = Exclude<keyof AuditBody, 'info' | 'error' | 'sourceApplication'>
/** Subjects of entries, from the wider to the narrower. */
const subjects: [Subject, string][] = [
  ['application', 'Application'],
  ['project', 'Instance'],
  ['sourceProject', 'Source instance'],
  ['targetProject', 'Target instance'],
  ['pipeline', 'Pipeline'],
  ['pipelineStage', 'Pipeline stage'],
  ['snapshot', 'Snapshot'],
  ['device', 'Device'],
  ['projectType', 'Instance Type'],
  ['stack', 'Stack'],
  ['user', 'User'],
  ['license', 'License'],
  ['billingSession', 'Billing'],
  ['subscription', 'Billing'],
  ['updates', 'Updates'],
  ['team', 'Team'],
]

/** The part that an entry is lost without: the first of these that its event carries [AUDIT-12]. */
const leading: Subject[] = [
  'billingSession',
  'subscription',
  'pipeline',
  'snapshot',
  'device',
  'projectType',
  'stack',
  'user',
  'license',
  'application',
  'updates',
  'project',
  'team',
]
const otherwise: Record<string, [keyof AuditBody, string]> = {
  'account.verify.auto-create-team': ['team', 'Team'],
  'users.auto-created-team': ['team', 'Team'],
  'project.assigned-to-pipeline-stage': ['project', 'Instance'],
  'platform.license.overage': ['info', 'License'],
}

/** The subject of the entry, or that it is missing [AUDIT-11, AUDIT-12]. */
export function describe(event: string, body: AuditBody): string | undefined {
  const expected: readonly string[] = event in auditEvents ? auditEvents[event as AuditKey].body : []
  const about = subjects.filter(([key]) => expected.includes(key))
  const lead = leading.find((key) => expected.includes(key))
  const missing = [otherwise[event] ?? subjects.find(([key]) => key === lead)].find((one) => one && !body[one[0]])
  if (missing && !body.error) return `${missing[1]} data not found in audit entry.`.replace('Updates data', 'Updates')
  const { project, sourceProject, targetProject, sourceApplication } = body
  if (sourceApplication) return `${project?.name} from ${sourceApplication.name} to ${body.application?.name}`
  if (project && sourceProject) return `${project.name} from ${sourceProject.name}`
  if (project && targetProject) return `${project.name} to ${targetProject.name}`
  const named = about.flatMap(([key]) => nameOf(key, body) ?? [])
  const team = expected.includes('team') && named.length === 0 ? body.team?.name : undefined
  const subject = [...named, ...(team ? [team] : []), ...(body.info ? [aboutInfo(event, body.info)] : [])]
    .filter(Boolean)
    .join(' · ')
  return [subject, body.updates?.map(aboutChange).join(', ')].filter(Boolean).join(': ') || undefined
}

/** The name of one thing that an entry is about, besides the team. */
function nameOf(key: Subject, body: AuditBody): string | undefined {
  if (key === 'team' || key === 'updates') return undefined
  // The ids of a payment provider tell people nothing.
  if (key === 'billingSession' || key === 'subscription') return undefined
  if (key === 'role') return body.role?.role
  return key === 'license' ? aboutLicence(body.license) : body[key]?.name
}

const aboutLicence = (licence: Record<string, unknown> | undefined): string =>
  [licence?.organisation, licence?.id ?? licence?.key].filter((part) => typeof part === 'string').join(', ')

const variableChanges = { created: 'added', updated: 'changed', deleted: 'removed' }

function aboutChange({ key, old, new: next, dif }: AuditChange): string {
  const variable = key.startsWith('env.') ? key.slice('env.'.length).replace(/\.secret$/, '') : undefined
  if (variable !== undefined) return `variable ${variable} ${variableChanges[dif]}`
  if (dif === 'created') return `${key} set to ${show(next)}`
  return dif === 'deleted'
    ? `${key} removed`
    : `${key} from ${show(old ?? '') || 'nothing'} to ${show(next ?? '') || 'nothing'}`
}

/** Further details, and who did it on a device itself and when, as the device says. */
function aboutInfo(event: string, { localUser, deviceTime, ...info }: Record<string, unknown>): string {
  const there = [
    ...(localUser === undefined ? [] : [`${show(localUser)} on the device`]),
    ...(deviceTime === undefined ? [] : [`at ${show(deviceTime)} by its clock`]),
  ]
  return [aboutEvent(event, info), ...there].filter(Boolean).join(', ')
}

/** The name comes first; ids tell people nothing that a name does not. */
function aboutEvent(event: string, { id, name, tokenId, tokenName, ...rest }: Record<string, unknown>): string {
  // Node-RED tells these for itself.
  if (event.startsWith('auth.')) return ''
  if (event === 'library.set') return `${show(rest.type)} ${show(rest.path)}`
  if (event === 'team.device.agent.update-requested') return `from ${show(rest.from)} to ${show(rest.version)}`
  if (event === 'flows.set') return rest.type === undefined ? '' : `${show(rest.type)} deploy`
  const named = typeof name === 'string'
  const token = typeof tokenName === 'string' ? { token: tokenName } : tokenId === undefined ? {} : { tokenId }
  const told = { ...(named || id === undefined ? {} : { id }), ...token, ...rest }
  const others = Object.entries(told)
    // Such as the end of a token that has none.
    .filter(([, value]) => value !== null)
    .map(([key, value]) =>
      key === 'size' && typeof value === 'number'
        ? `size: ${formatSize(value)}`
        : `${key}: ${show(nameIn(value) ?? value)}`,
    )
  return [...(named ? [name] : []), ...others].join(', ')
}

/** The name of something that is told with its id, such as a sign-in provider. */
function nameIn(value: unknown): string | undefined {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : undefined
  return typeof name === 'string' ? name : undefined
}

function show(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
