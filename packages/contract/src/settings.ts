import * as z from 'zod/mini'
import { DriverName } from './drivers.ts'
import { StackProperty } from './stack-properties.ts'
import { Id, Ok } from './primitives.ts'
import { anyone, may, route } from './route.ts'

/** One environment variable of a template or an instance (ENV-15). */
export const EnvEntry = z.object({
  name: z.string(),
  value: z.string(),
  policy: z.optional(z.boolean()),
  platform: z.optional(z.literal(true)),
  deprecated: z.optional(z.literal(true)),
  encrypted: z.optional(z.literal(true)),
})
export type EnvEntry = z.infer<typeof EnvEntry>

/** Whether an idle instance is suspended until somebody asks it something, and after how many seconds. */
export const Sleep = z.object({
  enabled: z.boolean(),
  after: z.number().check(z.int(), z.minimum(10), z.maximum(604_800)),
})
export type Sleep = z.infer<typeof Sleep>

/**
 * A module of a palette. `local`: installed from within the editor. `functions`: functions use it, so the rules for
 * modules of functions count. `refused`: why it could not be installed by now; what is there already stays.
 */
const PaletteModule = z.object({
  name: z.string(),
  version: z.string(),
  local: z.boolean(),
  functions: z.optional(z.literal(true)),
  refused: z.optional(z.string()),
})
export type PaletteModule = z.infer<typeof PaletteModule>

export const CodeEditor = z.enum(['monaco', 'ace'])
export const EditorTheme = z.enum(['forge-light', 'forge-dark'])
/** The people who can reach the addresses that flows serve. */
export const HttpAuthType = z.enum(['none', 'basic', 'flowforge-user'])

/** Settings of a template or an instance, nested as on the wire (docs/specification/calls.md). */
export const InstanceSettings = z.partial(
  z.object({
    disableEditor: z.boolean(),
    disableTours: z.boolean(),
    httpAdminRoot: z.string(),
    dashboardUI: z.string(),
    codeEditor: CodeEditor,
    theme: EditorTheme,
    timeZone: z.string(),
    page: z.partial(z.object({ title: z.string(), favicon: z.string() })),
    header: z.partial(z.object({ title: z.string(), url: z.string() })),
    palette: z.partial(
      z.object({
        allowInstall: z.boolean(),
        /** Lets modules run programs of their own when they are installed. */
        installScripts: z.boolean(),
        nodesExcludes: z.string(),
        denyList: z.array(z.string()),
        modules: z.array(PaletteModule),
      }),
    ),
    modules: z.partial(z.object({ allowInstall: z.boolean(), denyList: z.array(z.string()) })),
    httpNodeAuth: z.partial(z.object({ type: HttpAuthType, user: z.string(), pass: z.boolean() })),
    sleep: z.partial(Sleep),
    env: z.array(EnvEntry),
  }),
)
export type InstanceSettings = z.infer<typeof InstanceSettings>

/** The settings of a new template [ATPL-29] [ATPL-30] [ATPL-31]. */
export const defaultTemplateSettings: InstanceSettings = {
  disableEditor: false,
  disableTours: false,
  httpAdminRoot: '',
  dashboardUI: '/ui',
  codeEditor: 'monaco',
  theme: 'forge-light',
  timeZone: 'UTC',
  page: { title: 'FlowForge', favicon: '' },
  header: { title: 'FlowForge', url: '' },
  palette: { allowInstall: true, installScripts: false, nodesExcludes: '', denyList: [], modules: [] },
  modules: { allowInstall: true, denyList: [] },
  httpNodeAuth: { type: 'none', user: '', pass: false },
  sleep: { enabled: false, after: 1800 },
  env: [],
}

/** Which of them an instance may override by default [ATPL-32] [ATPL-33]. */
export const defaultTemplatePolicy = {
  disableEditor: true,
  disableTours: true,
  httpAdminRoot: true,
  dashboardUI: true,
  codeEditor: true,
  theme: true,
  timeZone: true,
  page: { title: false, favicon: false },
  header: { title: true, url: false },
  palette: { allowInstall: true, installScripts: false, nodesExcludes: false, denyList: false, modules: true },
  modules: { allowInstall: true, denyList: false },
  httpNodeAuth: { type: true, user: true, pass: true },
  sleep: { enabled: true, after: true },
}

/** The licence as everybody may see it. `daysRemaining` counts whole days and is 0 once it expired. */
export const LicenceSummary = z.object({
  type: z.enum(['CE', 'EE', 'DEV']),
  expiresAt: z.iso.datetime(),
  expiring: z.boolean(),
  expired: z.boolean(),
  daysRemaining: z.number(),
  PRE_EXPIRE_WARNING_DAYS: z.number(),
})
export type LicenceSummary = z.infer<typeof LicenceSummary>

/** Mail settings, without anything secret. */
export const MailSettings = z.object({
  from: z.string(),
  smtp: z.object({ host: z.string(), port: z.number(), secure: z.boolean() }),
})
export type MailSettings = z.infer<typeof MailSettings>

/** Platform settings as a browser reads them: the public part, and what a session adds (docs/specification/platform-settings.md). */
export const PlatformSettings = z.object({
  'user:signup': z.boolean(),
  'user:reset-password': z.boolean(),
  'user:tcs-required': z.boolean(),
  'user:tcs-url': z.string(),
  'user:tcs-date': z.nullable(z.iso.datetime()),
  'team:create': z.boolean(),
  /** Cleaned HTML above and beside the sign-up form; absent when empty. */
  'branding:account:signUpTopBanner': z.optional(z.string()),
  'branding:account:signUpLeftBanner': z.optional(z.string()),
  license: LicenceSummary,
  features: z.record(z.string(), z.boolean()),
  /** The active providers that the login page has a button for, by name; absent while single sign-on is off. */
  'sso:providers': z.optional(z.array(z.object({ id: Id, name: z.string() }))),
  /** Where browsers tell of what people do, with the public key of the project; both only where it is on. */
  analytics: z.object({ enabled: z.boolean(), key: z.optional(z.string()), url: z.optional(z.string()) }),
  /** Where the documentation is; absent: the platform's own pages. */
  documentation_url: z.optional(z.string()),
  setup: z.boolean(),
  /** Pattern of the addresses of instances, with `*` for the name, which the set-up page tries; absent once it is set up. */
  'setup:instances': z.optional(z.string()),
  /** The certificate authority of the platform itself, which browsers have to trust; its certificate is at /ca.crt. */
  'tls:authority': z.optional(z.object({ fingerprint: z.string() })),
  base_url: z.optional(z.string()),
  'team:user:invite:external': z.optional(z.boolean()),
  'user:team:auto-create': z.optional(z.boolean()),
  'user:team:trial-mode': z.optional(z.boolean()),
  'user:team:trial-mode:duration': z.optional(z.number()),
  'user:team:trial-mode:projectType': z.optional(z.nullable(Id)),
  'user:mfa-required': z.optional(z.boolean()),
  'user:sso': z.optional(z.boolean()),
  'team:application-roles': z.optional(z.boolean()),
  /** The properties of a stack, field by field. */
  stacks: z.optional(z.object({ properties: z.record(z.string(), StackProperty) })),
  'audit:retention-days': z.optional(z.nullable(z.number())),
  /** Is there a token with which programs read the statistics? */
  'platform:stats:token': z.optional(z.boolean()),
  'telemetry:enabled': z.optional(z.boolean()),
  /** Where anonymous counts go; absent: nowhere. */
  'telemetry:url': z.optional(z.string()),
  'platform:licensed': z.optional(z.boolean()),
  /** The platform's id, for a licence that is bound to this platform. */
  'platform:id': z.optional(z.string()),
  /** Can mail be sent? Administrators are told how. */
  email: z.optional(z.union([z.boolean(), MailSettings])),
  /** The drivers that start instances, the usual one first; told to administrators, where there are several. */
  'driver:offers': z.optional(z.array(DriverName)),
  /** Isolation or limits that are missing on this machine; a sentence each. */
  'driver:gaps': z.optional(z.array(z.string())),
  /** Why nothing can be asked of instances at the moment; absent while a server runs them. */
  'instances:away': z.optional(z.string()),
  'version:forge': z.optional(z.string()),
  'version:node': z.optional(z.string()),
  /** Prefix of commands for the shell of the server: `flowforge admin` or, in a clone, `npm run admin --`. */
  'command:admin': z.optional(z.string()),
})
export type PlatformSettings = z.infer<typeof PlatformSettings>

const limit = z.nullable(z.number())
export const LicenceLimits = z.object({ users: limit, teams: limit, projects: limit, devices: limit })
export type LicenceLimits = z.infer<typeof LicenceLimits>

/** The contents of a licence, times in milliseconds; null: without this limit. `text` is the signed file itself. */
export const StoredLicence = z.object({
  type: z.enum(['EE', 'DEV']),
  expiresAt: z.number(),
  id: z.optional(z.string()),
  organisation: z.optional(z.string()),
  tier: z.optional(z.string()),
  validFrom: z.optional(z.number()),
  note: z.optional(z.string()),
  platform: z.optional(z.string()),
  limits: z.optional(LicenceLimits),
  text: z.optional(z.string()),
})
export type StoredLicence = z.infer<typeof StoredLicence>

const off = z._default(z.boolean(), false)
const nothing = <T>(schema: z.ZodMiniType<T>) => z._default(z.nullable(schema), null)

/** Settings kept in the database, each with the value that a new platform has. */
export const StoredSettings = z.object({
  'user:signup': off,
  'user:reset-password': off,
  'user:tcs-required': off,
  'user:tcs-url': z._default(z.string(), ''),
  'user:tcs-date': nothing(z.string()),
  'user:mfa-required': off,
  /** People may sign in through the configured providers. */
  'user:sso': off,
  /** Members may have a role in one application that differs from the one in the team. */
  'team:application-roles': off,
  'team:create': off,
  'team:user:invite:external': off,
  'user:team:auto-create': off,
  'user:team:trial-mode': off,
  /** In days. */
  'user:team:trial-mode:duration': z._default(z.number(), 0),
  /** The instance type of trials. */
  'user:team:trial-mode:projectType': nothing(z.string()),
  /** Follows the calls that make and delete the token of the statistics. */
  'platform:stats:token': off,
  /** Whether anonymous counts may be sent; with a licence they always may. */
  'telemetry:enabled': z._default(z.boolean(), true),
  /** When they were sent last, and the id under which; made for that alone. Time in milliseconds. */
  'telemetry:told': nothing(z.object({ id: z.string(), at: z.number() })),
  'branding:account:signUpTopBanner': nothing(z.string()),
  'branding:account:signUpLeftBanner': nothing(z.string()),
  /** The licence in force; null without one. Times in milliseconds. */
  license: nothing(StoredLicence),
  'setup:initialised': off,
  /** The installation itself, so that a licence can be for it alone; made when first asked for. */
  'platform:id': nothing(z.string()),
  /** Retention of entries of audit logs; null: for ever. */
  'audit:retention-days': nothing(z.number()),
})
export type StoredSettings = z.infer<typeof StoredSettings>

/** The settings administrators can change. An unknown name refuses the whole change. */
export const SettingsPatch = z.strictObject({
  /** Everybody needs a second factor; who has none is asked for one before anything else. */
  'user:mfa-required': z.optional(z.boolean()),
  /** Lets people sign in through the configured providers. */
  'user:sso': z.optional(z.boolean()),
  /** Lets team owners give members roles in single applications. */
  'team:application-roles': z.optional(z.boolean()),
  /** These three need mail. */
  'user:signup': z.optional(z.boolean()),
  'user:reset-password': z.optional(z.boolean()),
  'team:user:invite:external': z.optional(z.boolean()),
  /** Needs an address of the terms. */
  'user:tcs-required': z.optional(z.boolean()),
  /** Another address is another text, which everybody accepts anew. */
  'user:tcs-url': z.optional(
    z.string().check(z.maxLength(2048), z.regex(/^(https?:\/\/[^\s"'<>]+)?$/, 'Enter a web address')),
  ),
  /** The text at the address changed: everybody accepts anew. */
  'user:tcs-updated': z.optional(z.literal(true)),
  'team:create': z.optional(z.boolean()),
  'user:team:auto-create': z.optional(z.boolean()),
  'user:team:trial-mode': z.optional(z.boolean()),
  'user:team:trial-mode:duration': z.optional(
    z.number().check(z.int('Enter whole days'), z.minimum(0, 'Enter whole days'), z.maximum(3650, 'At most 10 years')),
  ),
  'user:team:trial-mode:projectType': z.optional(z.nullable(Id)),
  /** Passed over with a licence. */
  'telemetry:enabled': z.optional(z.boolean()),
  'audit:retention-days': z.optional(
    z.nullable(z.number().check(z.int('Enter whole days'), z.minimum(30, 'Keep at least 30 days'), z.maximum(36_500))),
  ),
  'branding:account:signUpTopBanner': z.optional(z.nullable(z.string().check(z.maxLength(20_000)))),
  'branding:account:signUpLeftBanner': z.optional(z.nullable(z.string().check(z.maxLength(20_000)))),
})
export type SettingsPatch = z.infer<typeof SettingsPatch>

export const settingsRoutes = {
  'settings.get': route({
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Platform settings that the caller may read. Anonymous callers get the public ones',
    access: anyone,
    reply: PlatformSettings,
    errors: [],
  }),
  'settings.update': route({
    method: 'PUT',
    path: '/api/v1/settings',
    summary: 'Update platform settings. One unknown or read-only name refuses the whole request',
    access: may('settings:edit', 'platform'),
    body: SettingsPatch,
    reply: Ok,
    errors: ['invalid_request'],
    audit: 'platform.settings.updated',
    example: { body: { 'user:signup': true, 'user:mfa-required': true }, reply: { status: 'okay' } },
  }),
}
