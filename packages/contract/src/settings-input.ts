import * as z from 'zod/mini'
import { envNameFault, envNameMax, envValueMax } from './env-names.ts'
import { reservedModules } from './link-nodes.ts'
import { CodeEditor, defaultTemplatePolicy, EditorTheme, HttpAuthType, Sleep } from './settings.ts'

/** The levels of the flat names that forms and older clients use: `palette_allowInstall` is palette.allowInstall. */
const groups: readonly string[] = ['page', 'header', 'palette', 'modules', 'httpNodeAuth']

/** Settings with every flat name in its place. What is no object is left to the schema to refuse. */
function nested(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const result: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(value)) {
    const group = groups.find((name) => key.startsWith(`${name}_`))
    if (group) result[group] = { ...(result[group] as object | undefined), [key.slice(group.length + 1)]: one }
    else result[key] = groups.includes(key) ? { ...(result[key] as object | undefined), ...(one as object) } : one
  }
  return result
}

/** [ATPL-21] */
const Path = z.string().check(z.maxLength(200), z.regex(/^[0-9a-z_\-/]*$/, 'Must contain only 0-9 a-z _ - /'))
const ShortText = z.string().check(z.maxLength(200))
const modulePattern = /^(@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/
const versionPattern = /^(\*|[~^]?(\d+|x)(\.(\d+|x)){0,2}(-[0-9A-Za-z-.]+)?(\+[0-9A-Za-z-.]+)?)$/
const denyPattern =
  /^(@[a-z0-9-~*][a-z0-9-._~*]*\/)?[a-z0-9-~*][a-z0-9-._~*]*(@(\*|[~^<>=]{0,2}\d+(\.(\d+|x|\*)){0,2}(-[0-9A-Za-z-.]+)?))?$/
const excludesPattern = /^\s*([^\s,]+\.js(\s*,\s*[^\s,]+\.js)*)?\s*$/

/** Name of a module in a palette [PAL-05] [PAL-06]. */
export const ModuleName = z.string().check(
  z.maxLength(214, 'Invalid name'),
  z.refine((name) => modulePattern.test(name) && !reservedModules.includes(name), 'Invalid name'),
)
/** Version of a module: `*`, or a semantic version, also with ^, ~ or x [PAL-10]. */
export const ModuleVersion = z.string().check(z.maxLength(80), z.regex(versionPattern, 'Invalid version'))
/** One entry of a list of refused modules [PAL-13]. */
export const DenyEntry = z
  .string()
  .check(z.maxLength(250), z.regex(denyPattern, 'Must be a comma-separated list of nodes[@version]'))
/** File names of nodes that are not loaded [PAL-12]. */
export const NodesExcludes = z
  .string()
  .check(z.maxLength(2_000), z.regex(excludesPattern, 'Must be a comma-separated list of .js filenames'))

/** A list, or the text with commas that a form holds. */
const DenyList = z.pipe(
  z.union([z.array(z.string().check(z.maxLength(250))).check(z.maxLength(200)), z.string().check(z.maxLength(10_000))]),
  z.transform((list: string | string[]) =>
    (Array.isArray(list) ? list : list.split(',')).map((one) => one.trim()).filter((one) => one !== ''),
  ),
)
const deny = z.pipe(DenyList, z.array(DenyEntry))

/** Is each name there once? */
const unique = (list: readonly { name: string }[]) => new Set(list.map(({ name }) => name)).size === list.length

const Modules = z
  .array(z.object({ name: ModuleName, version: ModuleVersion, local: z.prefault(z.boolean(), false) }))
  .check(z.maxLength(200), z.refine(unique, 'Duplicate name'))

/** Another key could be another name for a secret, which would be kept in plain. */
const Variable = z.strictObject(
  {
    name: z.string().check(z.maxLength(envNameMax)),
    value: z.prefault(z.string().check(z.maxLength(envValueMax)), ''),
    encrypted: z.optional(z.boolean()),
    /** In a template: may instances give it another value? */
    policy: z.optional(z.boolean()),
    /** Told in answers, and without effect. */
    platform: z.optional(z.boolean()),
    deprecated: z.optional(z.boolean()),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `A variable has no ${issue.keys.map((key) => `“${key}”`).join(', ')}; a secret is marked with “encrypted”`
        : undefined,
  },
)
type Named = { name: string }
const isNotAllowed = ({ name }: Named) => envNameFault(name) === 'Not allowed'
const notAllowed = (list: readonly Named[]) =>
  `${list
    .filter(isNotAllowed)
    .map(({ name }) => name)
    .join(', ')}: not allowed as a name, since it changes how programs start. Choose another name.`

/** Variables as sent: names that cannot be are dropped (ENV-06, ENV-15), no name stands there twice (ENV-04). */
export const Variables = z.pipe(
  z.array(z.looseObject({ name: z.string().check(z.maxLength(envNameMax)) })).check(
    z.maxLength(1_000),
    z.refine((list) => !list.some(isNotAllowed), { error: ({ input }) => notAllowed(input as Named[]) }),
  ),
  z.pipe(
    z.transform((list: Named[]) => list.filter(({ name }) => envNameFault(name) === undefined)),
    z.array(Variable).check(z.refine(unique, 'Duplicate name')),
  ),
)

let zones: Set<string> | undefined
/** Names of the time zone database that this runtime knows [ATPL-35]. */
export function timeZones(): Set<string> {
  zones ??= new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  return zones
}

const Nested = z.partial(
  z.object({
    disableEditor: z.boolean(),
    disableTours: z.boolean(),
    httpAdminRoot: Path,
    dashboardUI: Path,
    codeEditor: CodeEditor,
    theme: EditorTheme,
    timeZone: z.string().check(
      z.maxLength(100),
      z.refine((name) => timeZones().has(name), 'Not a time zone'),
    ),
    page: z.partial(z.object({ title: ShortText, favicon: ShortText })),
    header: z.partial(z.object({ title: ShortText, url: ShortText })),
    palette: z.partial(
      z.object({
        allowInstall: z.boolean(),
        installScripts: z.boolean(),
        nodesExcludes: NodesExcludes,
        denyList: deny,
        modules: Modules,
      }),
    ),
    modules: z.partial(z.object({ allowInstall: z.boolean(), denyList: deny })),
    httpNodeAuth: z.partial(
      z.object({
        type: HttpAuthType,
        /** A browser sends name and password with a colon between them. */
        user: ShortText.check(z.refine((name) => !/[:\0]/.test(name), 'Must not contain a colon')),
        /** `true` keeps the password that is there. */
        pass: z.union([z.boolean(), z.string().check(z.maxLength(200))]),
      }),
    ),
    sleep: z.partial(Sleep),
    env: Variables,
  }),
)

/** Settings of a template or an instance as they are sent: some of them, nested or with flat names. */
export const SettingsInput = z.pipe(z.transform(nested), Nested)
export type SettingsInput = z.output<typeof SettingsInput>

/** The flags of a tree of settings: true where instances may decide, nested as the settings are. */
type Flags = { [name: string]: boolean | Flags }
const flagsOf = (tree: Flags): z.ZodMiniType =>
  z.partial(
    z.strictObject(
      Object.fromEntries(
        Object.entries(tree).map(([name, flag]) => [name, typeof flag === 'boolean' ? z.boolean() : flagsOf(flag)]),
      ),
    ),
  )

/** Which settings of a template instances may override [ATPL-28]; some of them, nested or with flat names. */
export const PolicyInput = z.pipe(z.transform(nested), flagsOf(defaultTemplatePolicy))

/** A change that needs only the right to edit variables: `{settings: {env}}` and nothing beside it (PERM-50). */
export const EnvOnly = z.strictObject({ settings: z.strictObject({ env: z.unknown() }) })
