import { limits } from '@app/contract/constants'
import { editorRootOf } from '@app/contract/editor-paths'
import type { InstanceSettings } from '@app/contract/settings'
import { fileURLToPath } from 'node:url'
import type { LinkNodes } from './link-nodes/link.nodes.ts'
import { type TeamLibrary, teamLibraryType } from './team-library/team-library.ts'

/** The palette of a device may have more than a template gives. */
interface DevicePalette {
  /** Only these modules are installed and loaded. */
  allowList?: string[]
  catalogues?: string[]
}
type Palette = NonNullable<InstanceSettings['palette']> & DevicePalette

/** The editor's appearance and rights; `modules` of the palette differ from the type that launchers receive. */
export type PlatformSettings = Omit<InstanceSettings, 'env' | 'palette'> & { palette?: Palette }

export interface SettingsOptions {
  settings: PlatformSettings
  /** The address of the platform as people reach it; a sign-out leads there. */
  forgeUrl: string
  instance: { id: string; name: string }
  userDir: string
  credentialSecret: string
  safe: boolean
  /** Do people reach the instance by https? */
  isSecure: boolean
  /** Has the instance several processes? A deploy to one of them would leave the others with other flows. */
  isEditorOff: boolean
  /** Is this the editor of a device, which its agent alone opens? */
  isDevice: boolean
  /** The team library, if the team shares one. */
  teamLibrary: TeamLibrary | undefined
  /** The nodes for messages between instances, where they are switched on. */
  linkNodes: LinkNodes | undefined
  /** Plug-ins, as Node-RED names them. */
  storageModule: object
  persistentContext: object
  adminAuth: object
  logging: object
}

const packaged = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Path under which the editor answers: starts and ends with a slash. */
export const adminRootOf = (settings: PlatformSettings): string => editorRootOf(settings)

/** The settings object for `RED.init`. */
export function nodeRedSettings(options: SettingsOptions): object {
  const { settings, teamLibrary, linkNodes } = options
  const { palette = {}, modules = {} } = settings
  const installs = { allowInstall: palette.allowInstall !== false, allowUpload: false, ...rules(palette) }
  const moduleInstalls = { allowInstall: modules.allowInstall !== false, ...denied(modules.denyList) }

  return {
    userDir: options.userDir,
    flowFile: 'flows.json',
    credentialSecret: options.credentialSecret,
    storageModule: options.storageModule,
    adminAuth: options.adminAuth,
    // The cookie of the sign-in to the editor, which comes back by a link from the console.
    httpAdminCookieOptions: { sameSite: 'lax', secure: options.isSecure },
    logging: options.logging,
    httpAdminRoot: options.isEditorOff ? false : adminRootOf(settings),
    httpNodeRoot: '/',
    // Only the platform reaches the socket, so what it says about the sender counts.
    httpServerOptions: { 'trust proxy': true },
    disableEditor: settings.disableEditor === true,
    ...(options.safe ? { safeMode: true } : {}),
    ...(settings.dashboardUI ? { ui: { path: settings.dashboardUI } } : {}),
    nodesExcludes: listOf(palette.nodesExcludes),
    externalModules: { autoInstall: false, palette: installs, modules: moduleInstalls },
    functionExternalModules: moduleInstalls.allowInstall,
    contextStorage: {
      default: 'memory',
      memory: { module: 'memory' },
      persistent: { module: options.persistentContext },
    },
    // The platform says what is new, and nothing about its instances leaves it unasked.
    telemetry: { enabled: false, updateNotification: false },
    diagnostics: { enabled: true, ui: true },
    runtimeState: { enabled: false, ui: false },
    apiMaxLength: limits.flowsBytes,
    debugMaxLength: 1000,
    mqttReconnectTime: 15_000,
    serialReconnectTime: 15_000,
    ...(teamLibrary ? { teamLibrary } : {}),
    ...(linkNodes ? { flowforge: linkNodes.flowforge } : {}),
    nodesDir: [...(teamLibrary ? [packaged('team-library')] : []), ...(linkNodes ? [linkNodes.nodesDir] : [])],
    editorTheme: editorTheme(options),
  }
}

const librarySource = {
  id: 'team-library',
  type: teamLibraryType,
  label: 'Team Library',
  icon: 'font-awesome/fa-users',
  types: ['flows', 'functions'],
}

const denied = (list: string[] | undefined) => (list && list.length > 0 ? { denyList: list } : {})

/** Node-RED follows the more exact one of an allow rule and a deny rule. */
const rules = ({ allowList = [], denyList = [] }: Palette) =>
  allowList.length === 0 ? denied(denyList) : { allowList, denyList: [...denyList, '*'] }

/** Titles that a template holds until somebody chooses others. */
const productName = 'FlowForge'
const chosen = (title: string | undefined) => (title === productName ? undefined : title || undefined)

/** Page of an instance in the console. */
export const consoleUrl = (forgeUrl: string, id: string, page: 'overview' | 'logs' = 'overview') =>
  `${forgeUrl}/instance/${encodeURIComponent(id)}/${page}`

/** The editor puts a title into its page as HTML. */
const escaped = (text: string) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)

function editorTheme({ settings, forgeUrl, instance, teamLibrary, isDevice }: SettingsOptions): object {
  const { page = {}, header = {}, palette: { catalogues } = {}, theme = 'forge-light' } = settings
  const isDark = theme === 'forge-dark'
  return {
    projects: { enabled: false },
    ...(catalogues ? { palette: { catalogues } } : {}),
    ...(teamLibrary ? { library: { sources: [librarySource] } } : {}),
    codeEditor: { lib: settings.codeEditor ?? 'monaco', ...(isDark ? { options: { theme: 'vs-dark' } } : {}) },
    tours: settings.disableTours !== true,
    userMenu: true,
    logout: { redirect: forgeUrl },
    page: {
      title: chosen(page.title) ?? `${instance.name} · ${productName}`,
      favicon: packaged('theme/flowforge.svg'),
      css: [packaged(isDark ? 'theme/forge-dark.css' : 'theme/forge-light.css'), packaged('theme/forge.css')],
      // All but the first sign people in and look for deploys of others, which a device does not do.
      scripts: ['diagrams', ...(isDevice ? [] : ['editor', 'deploy', 'nodes'])].map((part) =>
        packaged(`theme/forge-${part}.js`),
      ),
    },
    header: {
      title: escaped(chosen(header.title) ?? instance.name),
      url: header.url || consoleUrl(forgeUrl, instance.id),
      image: packaged('theme/flowforge.svg'),
    },
  }
}

const listOf = (text = '') =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
