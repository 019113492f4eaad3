/** The settings of an instance that say where its editor is. `httpAdminRoot: false`: nowhere. */
export interface EditorPlace {
  httpAdminRoot?: string | false | undefined
  /** Without its pages its calls remain. */
  disableEditor?: boolean | undefined
}

/** Calls of Node-RED 4.1 and 5.0, of its own nodes and of the platform's plug-ins, by method. */
const calls: readonly (readonly [methods: string, path: RegExp])[] = [
  ['get post', /^\/(?:flows|nodes)$/i],
  ['get', /^\/(?:flows\/state|settings|diagnostics|plugins(?:\/.+)?|auth\/(?:login|strategy|strategy\/callback))$/i],
  ['post', /^\/(?:flow|auth\/revoke|inject\/[^/]+|debug\/[^/]+(?:\/[^/]+)?)$/i],
  ['get put delete', /^\/(?:flow\/[^/]+|nodes\/.+)$/i],
  ['get delete', /^\/context\/(?:global|(?:node|flow)\/[^/]+)(?:\/.+)?$/i],
  ['get', /^\/(?:debug\/view\/.+|udp-ports\/[^/]+)$/i],
]
const pages: typeof calls = [
  ['get', /^\/$/],
  ['get', /^\/(?:icons|locales\/.+|library\/[^/]+\/.+|credentials\/[^/]+\/[^/]+|forge\/instance)$/i],
  ['get post', /^\/settings\/user$/i],
]

/** Path under which the editor answers: starts and ends with a slash. */
export const editorRootOf = ({ httpAdminRoot }: EditorPlace): string =>
  `/${httpAdminRoot === false ? '' : (httpAdminRoot ?? '')}/`.replace(/\/+/g, '/')

/**
 * Does the editor get the requests with this method and path? It comes before the flows. Files of its pages are left out,
 * since requests for those that are not there go to the flows.
 */
export function isOfEditor(method: string, path: string, place: EditorPlace): boolean {
  const root = editorRootOf(place)
  const whole = `/${path}`.replace(/\/+/g, '/')
  if (place.httpAdminRoot === false || !`${whole}/`.startsWith(root)) return false
  const rest = `/${whole.slice(root.length)}`.replace(/(?<=.)\/$/, '')
  const taken = place.disableEditor === true ? calls : [...calls, ...pages]
  return taken.some(([methods, pattern]) => methods.split(' ').includes(method) && pattern.test(rest))
}
