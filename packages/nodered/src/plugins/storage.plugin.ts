import type { PlatformClient } from '../platform.client.ts'

/** Long enough for a restart of the platform, short enough for somebody who waits for a deploy. */
const patience = 20_000

/**
 * Node-RED's storage, kept by the platform. Reading goes on until the platform answers; a save that does not
 * succeed in 20 s is an error that the editor shows. Node-RED asks for own properties, so this is no class.
 */
export function createStorage(platform: PlatformClient, instanceId: string) {
  const base = `/storage/${encodeURIComponent(instanceId)}`
  const load = (kind: string) => () => platform.call(`${base}/${kind}`)
  const save = (kind: string) => async (body: unknown) => {
    await platform.call(`${base}/${kind}`, { body, patience })
  }

  return {
    async init(): Promise<void> {},
    getFlows: load('flows'),
    saveFlows: save('flows'),
    getCredentials: load('credentials'),
    saveCredentials: save('credentials'),
    getSettings: load('settings'),
    saveSettings: save('settings'),
    getSessions: load('sessions'),
    saveSessions: save('sessions'),

    getLibraryEntry: (type: string, name: string): Promise<unknown> =>
      platform.call(`${base}/library/${encodeURIComponent(type)}?name=${encodeURIComponent(name)}`, { patience }),
    async saveLibraryEntry(type: string, name: string, meta: object, body: unknown): Promise<void> {
      await platform.call(`${base}/library/${encodeURIComponent(type)}`, { body: { name, meta, body }, patience })
    },
  }
}
