import type { PlatformClient } from '../platform.client.ts'

/** Type of the source by which Node-RED knows the library; there is one such source. */
export const teamLibraryType = 'forge-team-library'

/** Long enough for a restart of the platform, short enough for somebody who waits before a dialog. */
const patience = 20_000

const query = (type: string) => `?type=${encodeURIComponent(type)}`

/**
 * The class of which Node-RED makes the library of this team. The plug-in finds it among the settings, at the root,
 * where no visitor of the editor sees it: Node-RED loads the plug-in as a module that knows none of ours.
 */
export function teamLibraryOf(platform: PlatformClient, teamId: string) {
  function address(path: string): string {
    const parts = path.split('/').filter((part) => part !== '')
    return `/storage/library/${encodeURIComponent(teamId)}/${parts.map(encodeURIComponent).join('/')}`
  }

  return class TeamLibrary {
    static readonly type = teamLibraryType

    async init(): Promise<void> {}

    /** Text of an entry, or what a folder holds: entries as `{fn, …}`, folders by their names. */
    async getEntry(type: string, path: string): Promise<unknown> {
      return platform.call(address(path) + query(type), { patience })
    }

    async saveEntry(type: string, path: string, meta: object, body: unknown): Promise<void> {
      await platform.call(address(path), { body: { name: path, type, meta, body }, patience })
    }
  }
}
export type TeamLibrary = ReturnType<typeof teamLibraryOf>
