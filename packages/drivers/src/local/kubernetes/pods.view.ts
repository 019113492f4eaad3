import type { V1Pod } from '@kubernetes/client-node'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client, Cluster } from './cluster.ts'
import { unlessCode } from './cluster.errors.ts'
import { podLabels } from './pod.labels.ts'
import { noPod, podOf, type PodView } from './pod.view.ts'

/** From the end of a watch, or of a try, until the next. */
const againMs = 2_000
/** Nobody asks for a pod any more that ended so long ago. */
const keptMs = 3_600_000

/** The pods of instances, by the launch that each is for. The last known state holds on while the cluster does not answer. */
export interface PodsView {
  /** Undefined for one of which nothing is known yet. */
  known(launch: string): PodView | undefined
  /** Looks at the pod of a launch now. @throws DriverError when the cluster does not answer. */
  look(name: string, launch: string): Promise<PodView>
  /** The known state, where it is not older than a moment; else looks. Undefined where nobody can tell. */
  recent(name: string, launch: string): Promise<PodView | undefined>
  /** Does any other process of the instance run? */
  hasOther(instance: string, launch: string): boolean
  /** Waits for the next change of any pod, or for `ms`. */
  changed(ms: number): Promise<void>
  /** Lists all of them, and from now on hears of every change. @throws nothing: a cluster that does not answer is asked again. */
  follow(): Promise<void>
  close(): void
}

const recentMs = 2_000

/**
 * Watches the pods of one platform. Lists, watches, and lists again where the cluster has forgotten what happened meanwhile
 * (410 Gone): that is the informer of the official client, which ends with the first error and is started again here.
 */
export function viewPods(cluster: Cluster, family: string): PodsView {
  const all = new Map<string, PodView & { instance?: string | undefined }>()
  const waiting = new Set<() => void>()
  const ending = new AbortController()
  let following: Promise<void> | undefined
  let wasListed = false
  let stop = () => {}
  const selector = `${podLabels.home}=${family}`

  function put(view: PodView, instance?: string): PodView {
    if (view.launch !== '') all.set(view.launch, { instance: instance ?? all.get(view.launch)?.instance, ...view })
    for (const wake of waiting) wake()
    return view
  }

  function gone(pod: V1Pod): void {
    const { launch, reason, ranOutOfMemory } = podOf(pod)
    put({ ...noPod(launch, reason ?? 'Its pod was deleted from the cluster'), ranOutOfMemory })
    for (const [id, { isOver, seenAt }] of all) if (isOver && performance.now() - seenAt > keptMs) all.delete(id)
  }

  async function start({ library, config, core }: Client): Promise<void> {
    const { namespace } = cluster
    const watch = new library.Watch(config)
    const { watch: begin } = watch
    // So that a watch that ends goes on from where it was, however little happened.
    watch.watch = (path, query, ...rest) => begin.call(watch, path, { ...query, allowWatchBookmarks: true }, ...rest)
    const list = async () => {
      const listed = await core.listNamespacedPod({ namespace, labelSelector: selector })
      wasListed = true
      return listed
    }
    const path = `/api/v1/namespaces/${namespace}/pods`
    const informer = new library.ListWatch<V1Pod>(path, watch, list, false, selector)
    const heard = (pod: V1Pod) => void put(podOf(pod), pod.metadata?.labels?.[podLabels.instance])
    informer.on('add', heard)
    informer.on('update', heard)
    informer.on('delete', gone)
    informer.on('error', () => {
      void delay(againMs, undefined, { ref: false, signal: ending.signal })
        .then(() => informer.start())
        .catch(() => undefined)
    })
    stop = () => void informer.stop()
    ending.signal.addEventListener('abort', stop)
    await informer.start()
  }

  const view: PodsView = {
    known: (launch) => all.get(launch) ?? (wasListed ? noPod(launch) : undefined),

    async look(name, launch) {
      const { namespace } = cluster
      const pod = await unlessCode(
        cluster.ask(({ core }) => core.readNamespacedPod({ name, namespace })),
        404,
      )
      const found = pod && podOf(pod)
      if (found?.launch === launch) return put(found, pod?.metadata?.labels?.[podLabels.instance])
      const before = all.get(launch)
      return put(before?.isOver ? before : noPod(launch, before?.reason))
    },

    async recent(name, launch) {
      const known = all.get(launch)
      if (known && performance.now() - known.seenAt < recentMs) return known
      return view.look(name, launch).catch(() => view.known(launch))
    },

    hasOther: (instance, launch) =>
      [...all.values()].some((pod) => pod.instance === instance && pod.launch !== launch && pod.isRunning),

    changed(ms) {
      return new Promise((resolve) => {
        const done = () => {
          waiting.delete(done)
          clearTimeout(limit)
          resolve()
        }
        const limit = setTimeout(done, ms)
        waiting.add(done)
      })
    },

    async follow() {
      if (ending.signal.aborted) return
      following ??= cluster.client().then(start)
      await following.catch(() => {
        // The file that names the cluster cannot be read yet.
        following = undefined
      })
    },

    close() {
      ending.abort()
      stop()
    },
  }
  return view
}
