import type { EditorCall, NodeRed } from '../stack.ts'

/**
 * Makes the audit log of Node-RED name who saved to a library or changed their settings of the editor. The editor passes
 * the user of these two calls and no request, from which the log would take the name.
 */
export function nameAuthors({ runtime: { library, settings } }: Pick<NodeRed, 'runtime'>): void {
  const save = library.saveEntry.bind(library)
  const update = settings.updateUserSettings.bind(settings)
  library.saveEntry = async (call) => save(named(call))
  settings.updateUserSettings = async (call) => update(named(call))
}

/** The log overwrites the path of an entry by that of the request, so the request has the path of the entry. */
const named = (call: EditorCall): EditorCall => ({ ...call, req: call.req ?? { user: call.user, path: call.path } })
