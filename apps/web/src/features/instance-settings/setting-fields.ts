import { type InstanceSettings, SettingsInput } from '@app/contract'

/** Values of settings by their flat names: `palette_allowInstall` is palette.allowInstall. */
export type SettingValues = Record<string, unknown>

type Control =
  | { kind: 'switch' | 'text' | 'password' | 'zone' }
  | { kind: 'choice'; options: { value: string; label: string }[] }

/** One setting as forms show it. */
export type SettingField = Control & { name: string; label: string; help?: string; placeholder?: string }

export const editorFields: SettingField[] = [
  {
    name: 'disableEditor',
    kind: 'switch',
    label: 'Disable editor',
    help: 'Flows run, but nobody can open or change them.',
  },
  {
    name: 'disableTours',
    kind: 'switch',
    label: 'Disable tours',
    help: 'When off, people can turn tours on in their editor settings.',
  },
  {
    name: 'httpAdminRoot',
    kind: 'text',
    label: 'Editor URL path',
    help: 'Path of the editor. Leave empty for /.',
    placeholder: '/admin',
  },
  {
    name: 'dashboardUI',
    kind: 'text',
    label: 'Dashboard URL path',
    help: 'Path of the dashboards.',
    placeholder: '/ui',
  },
  {
    name: 'codeEditor',
    kind: 'choice',
    label: 'Code editor',
    options: [
      { value: 'monaco', label: 'Monaco' },
      { value: 'ace', label: 'Ace' },
    ],
  },
  { name: 'header_title', kind: 'text', label: 'Editor title', help: "Shown in the editor's header." },
  {
    name: 'theme',
    kind: 'choice',
    label: 'Editor theme',
    options: [
      { value: 'forge-light', label: 'Light' },
      { value: 'forge-dark', label: 'Dark' },
    ],
  },
  { name: 'timeZone', kind: 'zone', label: 'Time zone', help: 'The local time of the flows.' },
]

export const moduleFields: SettingField[] = [
  {
    name: 'modules_allowInstall',
    kind: 'switch',
    label: 'Allow modules in function nodes',
    help: 'Function nodes may use modules from the npm registry.',
  },
  {
    name: 'modules_denyList',
    kind: 'text',
    label: 'Denied modules',
    help: 'Comma-separated, such as foo@^0.1.0, @scope/*',
    placeholder: 'package-name@semVer, foo@^0.1.0, @scope/*',
  },
]

export const securityFields: SettingField[] = [
  {
    name: 'httpNodeAuth_type',
    kind: 'choice',
    label: 'Sign-in for HTTP endpoints',
    help: 'Protects dashboards and everything that flows serve. The editor always uses the sign-in of the platform.',
    options: [
      { value: 'none', label: 'None: anyone who has the address' },
      { value: 'basic', label: 'One user name and password' },
      { value: 'flowforge-user', label: 'Members of the team' },
    ],
  },
  { name: 'httpNodeAuth_user', kind: 'text', label: 'User name' },
  { name: 'httpNodeAuth_pass', kind: 'password', label: 'Password' },
]

export const paletteFields: SettingField[] = [
  {
    name: 'palette_allowInstall',
    kind: 'switch',
    label: 'Allow installing nodes',
    help: 'The palette manager of the editor may install nodes.',
  },
  {
    name: 'palette_nodesExcludes',
    kind: 'text',
    label: 'Excluded nodes',
    help: 'Comma-separated .js filenames of nodes that are not loaded.',
    placeholder: '90-exec.js',
  },
  {
    name: 'palette_denyList',
    kind: 'text',
    label: 'Denied nodes',
    help: 'Comma-separated, such as foo@^0.1.0, @scope/*',
    placeholder: 'package-name@semVer, foo@^0.1.0, @scope/*',
  },
]

/** Returns the value at a flat name in nested settings or in a policy. */
export function at(tree: unknown, name: string): unknown {
  return name.split('_').reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], tree)
}

/** A value as a form holds it: lists as text with commas, no password. */
function formValue(name: string, value: unknown): unknown {
  if (name === 'httpNodeAuth_pass') return ''
  if (name.endsWith('denyList')) return ((value ?? []) as string[]).join(', ')
  return value ?? ''
}

export function valuesOf(fields: readonly SettingField[], settings: InstanceSettings): SettingValues {
  return Object.fromEntries(fields.map(({ name }) => [name, formValue(name, at(settings, name))]))
}

/** Returns the errors by flat name, in the words of the specification. */
export function faultsOf(values: SettingValues): Record<string, string> {
  const result = SettingsInput.safeParse(values)
  if (result.success) return {}
  // The first two levels name a setting; what follows is a place in a list.
  return Object.fromEntries(
    result.error.issues.map(({ path, message }) => [
      path
        .slice(0, 2)
        .filter((key) => typeof key === 'string')
        .join('_'),
      message,
    ]),
  )
}
