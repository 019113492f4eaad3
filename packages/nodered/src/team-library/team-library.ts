import type { PlatformClient } from '../platform.client.ts'

/** How Node-RED knows the library: by this type of source, of which there is one. */
export const teamLibraryType = 'forge-team-library'

/** Long enough for a restart of the platform, short enough for somebody who waits before a dialog. */
const patience = 20_000

interface Shelf {
  platform: PlatformClient
  teamId: string
}
let shelf: Shelf | undefined

/**
 * Says whose library the editor shows. Not in the settings of Node-RED, which every visitor of the editor can read.
 * One process runs one instance.
 */
export function useTeamLibrary(platform: PlatformClient, teamId: string): void {
  shelf = { platform, teamId }
}

const query = (type: string) => `?type=${encodeURIComponent(type)}`
function address({ teamId }: Shelf, path: string): string {
  const parts = path.split('/').filter((part) => part !== '')
  return `/storage/library/${encodeURIComponent(teamId)}/${parts.map(encodeURIComponent).join('/')}`
}
function known(): Shelf {
  if (!shelf) throw new Error('The team library is not known in this process')
  return shelf
}

/** What Node-RED asks of a library. */
export class TeamLibrary {
  async init(): Promise<void> {}

  /** Text of an entry, or what a folder holds: entries as `{fn, …}`, folders by their names. */
  async getEntry(type: string, path: string): Promise<unknown> {
    const here = known()
    return here.platform.call(address(here, path) + query(type), { patience })
  }

  async saveEntry(type: string, path: string, meta: object, body: unknown): Promise<void> {
    const here = known()
    await here.platform.call(address(here, path), { body: { name: path, type, meta, body }, patience })
  }
}
