import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { type PlatformClient, Refusal } from '../platform.client.ts'
import type { TokenOf } from './audit.plugin.ts'

/** The code under which the platform refuses a deploy whose basis is no longer what is stored. */
export const flowsReplaced = 'flows_replaced'

/** Long enough for a restart of the platform, short enough for somebody who waits for a deploy. */
const patience = 20_000

interface User {
  userId?: string
}
type Node = Record<string, unknown>

/** The revision of flows, as the platform computes it. */
const revisionOf = (flows: unknown) => createHash('sha256').update(JSON.stringify(flows)).digest('hex')

/** As Node-RED encrypts credentials with the secret of its settings. */
function encrypted(credentials: object, secret: string): { $: string } {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-ctr', createHash('sha256').update(secret).digest(), iv)
  const text = cipher.update(JSON.stringify(credentials), 'utf8', 'base64') + cipher.final('base64')
  return { $: iv.toString('hex') + text }
}

/**
 * Node-RED's storage, kept by the platform. Reading goes on until the platform answers; a save that does not
 * succeed in 20 s is an error that the editor shows. Node-RED asks for own properties, so this is no class.
 *
 * A deploy says which flows it began from, so that the platform can refuse it when those were replaced meanwhile.
 * Node-RED saves credentials just before the flows they belong to; here they go in one call, so that neither is
 * stored without the other.
 */
export function createStorage(
  platform: PlatformClient,
  instanceId: string,
  credentialSecret: string,
  tokenOf: TokenOf,
) {
  const base = `/storage/${encodeURIComponent(instanceId)}`
  const load = (kind: string) => () => platform.call(`${base}/${kind}`)
  const save = (kind: string) => async (body: unknown) => {
    await platform.call(`${base}/${kind}`, { body, patience })
  }

  let basis = revisionOf([])
  let credentials: unknown

  /** The person who deploys, with the proof of it. */
  const by = (userId: string | undefined) => {
    const editorToken = tokenOf(userId)
    return { ...(userId ? { user: userId } : {}), ...(editorToken ? { editorToken } : {}) }
  }
  const deploy = (flows: unknown, user: User | null | undefined, more: object) =>
    platform.call(`${base}/deploy`, {
      body: { basis, flows, ...more, ...by(user?.userId) },
      patience,
    }) as Promise<{ revision: string }>

  return {
    async init(): Promise<void> {},
    async getFlows(): Promise<unknown> {
      const flows = await load('flows')()
      basis = revisionOf(flows)
      credentials = undefined
      return flows
    },
    async saveFlows(flows: unknown, user?: User | null): Promise<void> {
      try {
        const { revision } = await deploy(flows, user, credentials === undefined ? {} : { credentials })
        basis = revision
        credentials = undefined
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== flowsReplaced) throw error
        credentials = undefined
        // To 409 the editor offers a comparison with the flows that run here, which are not those that replaced them.
        throw Object.assign(new Error(error.message), { code: flowsReplaced, status: 400 })
      }
    },
    async getCredentials(): Promise<unknown> {
      const stored = await load('credentials')()
      // To nothing at all Node-RED answers with a warning, as though something were lost.
      return Object.keys(stored as object).length === 0 ? encrypted({}, credentialSecret) : stored
    },
    async saveCredentials(body: unknown): Promise<void> {
      credentials = body
    },

    /** Has the platform keep a deploy that Node-RED refused, because another came in between. */
    async keepRefused(flows: readonly Node[], user?: User | null): Promise<void> {
      // Passwords that were just typed are in the nodes themselves, in the clear.
      const bare = flows.map(({ credentials: _credentials, ...node }) => node)
      await deploy(bare, user, { refused: true })
    },
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
