import {
  type AuditChange,
  type AuditEntry,
  AuditBody,
  auditEvents,
  auditIcon,
  auditLabel,
  type AuditKey,
} from '@app/contract/audit'
import {
  Activity,
  BadgeCheck,
  Box,
  CreditCard,
  Cpu,
  History,
  Layers,
  LogIn,
  type LucideIcon,
  ScrollText,
  Settings,
  UserRound,
  Workflow,
} from 'lucide-react'
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
  stack: Layers,
  licence: BadgeCheck,
  general: ScrollText,
}

/** An audit entry as the timeline shows it. */
export function toTimeline(entry: AuditEntry): TimelineEntry {
  const body = AuditBody.safeParse(entry.body).data ?? {}
  const Icon = icons[auditIcon(entry.event)] ?? Activity
  const info = describe(entry.event, body)
  return {
    id: entry.id,
    time: Date.parse(entry.createdAt),
    icon: <Icon />,
    label: auditLabel(entry.event),
    who: entry.trigger.name,
    ...(info ? { info } : {}),
    ...(body.error ? { error: { message: body.error.message, detail: JSON.stringify(body.error, null, 2) } } : {}),
  }
}

type Subject = 'license' | 'team' | 'application' | 'project' | 'user' | 'updates'
const subjects: [Subject, string][] = [
  ['application', 'Application'],
  ['project', 'Instance'],
  ['user', 'User'],
  ['updates', 'Updates'],
  ['team', 'Team'],
  ['license', 'License'],
]

/** What the entry is about, or which part of it is missing [AUDIT-11, AUDIT-12]. */
export function describe(event: string, body: AuditBody): string | undefined {
  const expected: readonly string[] = event in auditEvents ? auditEvents[event as AuditKey].body : []
  const subject = subjects.find(([key]) => expected.includes(key))
  if (!subject) return body.info ? aboutInfo(body.info) : undefined
  const [key, word] = subject
  if (body[key] === undefined)
    return body.error ? undefined : `${word} data not found in audit entry.`.replace('Updates data', 'Updates')
  if (body.sourceApplication)
    return `${body.project?.name} from ${body.sourceApplication.name} to ${body.application?.name}`
  const name = key === 'updates' ? undefined : key === 'license' ? aboutLicence(body.license) : body[key]?.name
  const changes = body.updates?.map(aboutChange).join(', ')
  return [name, changes].filter(Boolean).join(': ') || undefined
}

const aboutLicence = (licence: Record<string, unknown> | undefined): string =>
  [licence?.organisation, licence?.id ?? licence?.key].filter((part) => typeof part === 'string').join(', ')

function aboutChange({ key, old, new: next, dif }: AuditChange): string {
  if (dif === 'created') return `${key} set to ${show(next)}`
  return dif === 'deleted' ? `${key} removed` : `${key} from ${show(old)} to ${show(next)}`
}

const aboutInfo = (info: Record<string, unknown>): string =>
  Object.entries(info)
    .map(([key, value]) => `${key}: ${show(value)}`)
    .join(', ')

const show = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
