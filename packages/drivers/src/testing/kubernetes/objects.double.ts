import type { V1Container, V1PodSecurityContext, V1PodSpec, V1Volume } from '@kubernetes/client-node'
import { randomUUID } from 'node:crypto'

type Container = Required<Pick<V1Container, 'name' | 'image' | 'command' | 'args' | 'env' | 'volumeMounts'>> & {
  workingDir: string
  resources: { limits: Record<string, string> }
  securityContext?: object
}

/** The specification of a pod with those parts that each pod of the driver has. */
type PodSpec = Omit<V1PodSpec, 'containers' | 'volumes' | 'securityContext'> & {
  containers: [Container]
  volumes: V1Volume[]
  securityContext: V1PodSecurityContext
}

/** An object of the API as it stands in the store. */
export interface Stored {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace: string
    uid: string
    resourceVersion: string
    creationTimestamp: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    finalizers?: string[]
    deletionTimestamp?: string
    deletionGracePeriodSeconds?: number
  }
  /** Specification of a pod; other objects have other fields. */
  spec: PodSpec
  status?: { phase?: string; conditions?: { type: string; status: string }[]; [field: string]: unknown }
  [field: string]: unknown
}

export interface Change {
  type: 'ADDED' | 'MODIFIED' | 'DELETED'
  object: Stored
}

/** An answer that is no success, as the API server gives it. */
export class Refusal extends Error {
  readonly code: number
  readonly reason: string
  constructor(code: number, reason: string, message: string) {
    super(message)
    this.code = code
    this.reason = reason
  }
}

export type Selector = Record<string, string>

/** Reads `a=b,c=d`. */
export const selectorOf = (text: string): Selector =>
  Object.fromEntries(
    text
      .split(',')
      .filter(Boolean)
      .map((part) => part.split(/==?/) as [string, string]),
  )

const matches = (labels: Record<string, string> = {}, selector: Selector) =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

/**
 * The store of the double of an API server, with the rules of the real one: every change has a resource version of its own;
 * who changes an object must have seen its last one; names are unique; what has finalizers or a grace period stays until
 * those are over; who watches from a version that was forgotten is told so (410).
 */
export function createObjects() {
  const all = new Map<string, Stored>()
  const watchers = new Set<{ collection: string; hear(change: Change): void }>()
  let history: { version: number; collection: string; change: Change }[] = []
  let [version, forgotten] = [1000, 1000]

  const idOf = (collection: string, name: string) => `${collection}/${name}`

  function tell(collection: string, type: Change['type'], object: Stored): Stored {
    version += 1
    object.metadata.resourceVersion = String(version)
    const change = { type, object: structuredClone(object) }
    history.push({ version, collection, change })
    for (const watcher of watchers) if (watcher.collection === collection) watcher.hear(structuredClone(change))
    return structuredClone(object)
  }

  function get(collection: string, name: string): Stored {
    const found = all.get(idOf(collection, name))
    if (!found) throw new Refusal(404, 'NotFound', `${collection.split('/')[0]} "${name}" not found`)
    return found
  }

  function replace(collection: string, name: string, next: Stored, part: 'status' | 'rest'): Stored {
    const old = get(collection, name)
    const { resourceVersion, uid } = next.metadata
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
      throw new Refusal(409, 'Conflict', `Operation cannot be fulfilled on "${name}": the object has been modified`)
    if (uid !== undefined && uid !== old.metadata.uid)
      throw new Refusal(409, 'Conflict', `Precondition failed: UID in precondition: ${uid}`)
    const { creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = old.metadata
    const kept = { creationTimestamp, ...(deletionTimestamp && { deletionTimestamp, deletionGracePeriodSeconds }) }
    const merged: Stored =
      part === 'status'
        ? { ...old, status: structuredClone(next.status) }
        : {
            ...structuredClone(next),
            status: old.status,
            metadata: Object.assign(structuredClone(next.metadata), kept, { uid: old.metadata.uid }),
          }
    all.set(idOf(collection, name), merged)
    if (merged.metadata.deletionTimestamp && isFree(merged)) return drop(collection, merged)
    return tell(collection, 'MODIFIED', merged)
  }

  function drop(collection: string, object: Stored): Stored {
    all.delete(idOf(collection, object.metadata.name))
    return tell(collection, 'DELETED', object)
  }

  return {
    get: (collection: string, name: string) => structuredClone(get(collection, name)),

    list(collection: string, selector: Selector = {}): { items: Stored[]; resourceVersion: string } {
      const items = [...all.entries()]
        .filter(([id, { metadata }]) => id.startsWith(`${collection}/`) && matches(metadata.labels, selector))
        .map(([, object]) => structuredClone(object))
      return { items, resourceVersion: String(version) }
    },

    create(collection: string, body: Omit<Stored, 'metadata'> & { metadata: Partial<Stored['metadata']> }): Stored {
      const { name = '' } = body.metadata
      if (all.has(idOf(collection, name)))
        throw new Refusal(409, 'AlreadyExists', `${collection.split('/')[0]} "${name}" already exists`)
      const object = structuredClone(body) as Stored
      object.metadata.uid = randomUUID()
      object.metadata.namespace = collection.split('/')[1]!
      object.metadata.creationTimestamp = now()
      all.set(idOf(collection, name), object)
      return tell(collection, 'ADDED', object)
    },

    /** Replaces all but the status. @throws Refusal 409 for one that has been changed since it was read. */
    update: (collection: string, name: string, next: Stored) => replace(collection, name, next, 'rest'),
    /** Replaces the status alone. */
    updateStatus: (collection: string, name: string, next: Stored) => replace(collection, name, next, 'status'),
    /** Changes these fields of the status. */
    patchStatus(collection: string, name: string, status: object): void {
      const object = get(collection, name)
      replace(collection, name, { ...object, status: { ...object.status, ...status } }, 'status')
    },

    /** Marks an object as to be deleted, or deletes it where nothing is to be waited for. `seconds`: its grace. */
    remove(
      collection: string,
      name: string,
      { seconds = 0, uid, resourceVersion }: { seconds?: number; uid?: string; resourceVersion?: string } = {},
    ): Stored {
      const object = get(collection, name)
      if (uid !== undefined && uid !== object.metadata.uid)
        throw new Refusal(
          409,
          'Conflict',
          `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`,
        )
      if (resourceVersion !== undefined && resourceVersion !== object.metadata.resourceVersion)
        throw new Refusal(409, 'Conflict', 'Precondition failed: resource version')
      const { deletionGracePeriodSeconds: before } = object.metadata
      // A grace can be shortened, and not made longer.
      const grace = before === undefined ? seconds : Math.min(before, seconds)
      object.metadata.deletionTimestamp ??= now(grace)
      object.metadata.deletionGracePeriodSeconds = grace
      return isFree(object) ? drop(collection, object) : tell(collection, 'MODIFIED', object)
    },

    /** Hears of every change after a version. @throws Refusal 410 for one that was forgotten. */
    watch(collection: string, from: string, hear: (change: Change) => void): () => void {
      if (Number(from) < forgotten)
        throw new Refusal(410, 'Expired', `too old resource version: ${from} (${forgotten})`)
      for (const past of history)
        if (past.collection === collection && past.version > Number(from)) hear(structuredClone(past.change))
      const watcher = { collection, hear }
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },

    get version() {
      return String(version)
    },

    /** Forgets what happened until now, as etcd is told to every few minutes. */
    compact(): void {
      history = []
      forgotten = version
    },
  }
}

export type Objects = ReturnType<typeof createObjects>

const now = (later = 0) => new Date(Date.now() + later * 1000).toISOString().replace(/\.\d+Z$/, 'Z')

const isFree = ({ metadata }: Stored) =>
  (metadata.finalizers ?? []).length === 0 && (metadata.deletionGracePeriodSeconds ?? 0) === 0
