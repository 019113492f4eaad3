import * as z from 'zod/mini'
import { route, anyone } from './route.ts'

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

const Module = z.object({ name: z.string(), version: z.string(), local: z.boolean() })

/** Settings of a template or an instance, nested as on the wire (decisions, appendix 1). */
export const InstanceSettings = z.partial(
  z.object({
    disableEditor: z.boolean(),
    disableTours: z.boolean(),
    httpAdminRoot: z.string(),
    dashboardUI: z.string(),
    codeEditor: z.enum(['monaco', 'ace']),
    theme: z.enum(['forge-light', 'forge-dark']),
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
        modules: z.array(Module),
      }),
    ),
    modules: z.partial(z.object({ allowInstall: z.boolean(), denyList: z.array(z.string()) })),
    httpNodeAuth: z.partial(
      z.object({ type: z.enum(['none', 'basic', 'flowforge-user']), user: z.string(), pass: z.boolean() }),
    ),
    sleep: z.partial(Sleep),
    env: z.array(EnvEntry),
  }),
)
export type InstanceSettings = z.infer<typeof InstanceSettings>

/** What a new template holds (A§3 default values). */
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

/** Which of them an instance may override by default (A§3 default policy). */
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

/** Platform settings as a browser reads them: the public part, and what a session adds (decisions, appendix 6). */
export const PlatformSettings = z.object({
  'user:signup': z.boolean(),
  'user:reset-password': z.boolean(),
  'user:tcs-required': z.boolean(),
  'user:tcs-url': z.string(),
  'user:tcs-date': z.nullable(z.iso.datetime()),
  'team:create': z.boolean(),
  features: z.record(z.string(), z.boolean()),
  analytics: z.object({ enabled: z.boolean() }),
  setup: z.boolean(),
  base_url: z.optional(z.string()),
  email: z.optional(z.boolean()),
  /** What keeps instances apart or within their limits and is missing here; a sentence each. */
  'driver:gaps': z.optional(z.array(z.string())),
  'version:forge': z.optional(z.string()),
  'version:node': z.optional(z.string()),
})
export type PlatformSettings = z.infer<typeof PlatformSettings>

/** Settings kept in the database with the value a new platform has. */
export const storedSettings = {
  'user:signup': false,
  'user:reset-password': false,
  'user:tcs-required': false,
  'user:tcs-url': '',
  'user:tcs-date': null as string | null,
  'team:create': false,
  'setup:initialised': false,
}
export type StoredSettings = typeof storedSettings

export const settingsRoutes = {
  'settings.get': route({
    method: 'GET',
    path: '/api/v1/settings',
    summary: 'Platform settings the caller may read; anonymous callers get the public part',
    access: anyone,
    reply: PlatformSettings,
    errors: [],
  }),
}
