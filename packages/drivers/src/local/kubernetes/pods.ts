import type { V1Pod } from '@kubernetes/client-node'
import { hostname } from 'node:os'
import { DriverError } from '../../driver.ts'
import type { Cluster } from './cluster.ts'
import { unlessCode } from './cluster.errors.ts'
import { graceSeconds, launchFile, type PodImage } from './pod.body.ts'
import { budgetNameOf, instanceLabelOf, keyAnnotation, podLabels, podNameOf, secretNameOf } from './pod.labels.ts'
import { podOf } from './pod.view.ts'
import type { PodsView } from './pods.view.ts'

const lookMs = 1_000
/** From the signal until the node has said that the process before has ended. */
const endMs = (graceSeconds + 20) * 1_000

/**
 * The pods of instances with their secrets. A pod has the name of its process, and the cluster keeps names unique until the
 * node of a pod has said that it has ended: not even two servers run two of one process.
 */
export function createPods(cluster: Cluster, family: string, view: PodsView) {
  const { namespace } = cluster
  const find = (name: string) =>
    unlessCode(
      cluster.ask(({ core }) => core.readNamespacedPod({ name, namespace })),
      404,
    )
  const without = (work: Promise<unknown>) => unlessCode(work, 404, 409)

  /** Has a pod ended, by its id: another one may have got its name meanwhile. */
  async function end(name: string, uid: string, seconds: number): Promise<void> {
    await without(
      cluster.ask(({ core }) =>
        core.deleteNamespacedPod({ name, namespace, body: { gracePeriodSeconds: seconds, preconditions: { uid } } }),
      ),
    )
  }

  async function dropSecret(launch: string): Promise<void> {
    const name = secretNameOf(launch)
    await without(cluster.ask(({ core }) => core.deleteNamespacedSecret({ name, namespace })))
  }

  const dropBudget = (key: string) =>
    without(
      cluster.ask(({ policy }) =>
        policy.deleteNamespacedPodDisruptionBudget({ name: budgetNameOf(family, key), namespace }),
      ),
    )

  /** Has the pod of a launch ended, with its secret. There is none: no effect. */
  async function remove(key: string, launch: string, seconds = graceSeconds): Promise<void> {
    const name = podNameOf(family, key)
    const pod = await find(name)
    if (pod?.metadata?.labels?.[podLabels.launch] === launch) await end(name, pod.metadata.uid!, seconds)
    await dropSecret(launch)
    await dropBudget(key)
  }

  return {
    remove,

    /**
     * Ends whatever there is of a process, and waits until its node has ended it. @throws DriverError `not_gone` when it has
     * not.
     */
    async clear(key: string): Promise<void> {
      const name = podNameOf(family, key)
      for (const until = Date.now() + endMs; ; await view.changed(lookMs)) {
        const pod = await find(name)
        if (!pod) return
        const { isLeaving, node = 'its node', launch, uid } = podOf(pod)
        if (Date.now() > until) throw new DriverError('not_gone', notGone(node))
        if (isLeaving) continue
        await end(name, uid, graceSeconds)
        await dropSecret(launch)
      }
    },

    /** Makes a pod with its secret. @throws DriverError `not_alone` when there is one of its name. */
    async create(launch: string, specification: string, body: V1Pod): Promise<void> {
      const metadata = { name: secretNameOf(launch), labels: body.metadata!.labels! }
      const secret = { metadata, type: 'Opaque', immutable: true, stringData: { [launchFile]: specification } }
      await cluster.ask(({ core }) =>
        core.createNamespacedSecret({ namespace, body: { apiVersion: 'v1', kind: 'Secret', ...secret } }),
      )
      const made = await unlessCode(
        cluster.ask(({ core }) => core.createNamespacedPod({ namespace, body })),
        409,
      )
      if (!made) throw new DriverError('not_alone', 'Another server is starting this instance just now')
    },

    /** Keeps those who drain nodes from ending both processes of an instance at once. */
    async protect(key: string): Promise<void> {
      const metadata = { name: budgetNameOf(family, key), labels: { [podLabels.home]: family } }
      const selector = { matchLabels: { [podLabels.home]: family, [podLabels.instance]: instanceLabelOf(key) } }
      const body = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata,
        spec: { minAvailable: 1, selector },
      }
      await unlessCode(
        cluster.ask(({ policy }) => policy.createNamespacedPodDisruptionBudget({ namespace, body })),
        409,
      )
    },

    /**
     * The image of the pod in which this process runs, which has the name of its machine. @throws DriverError `no_image` when
     * it is in none.
     */
    async ownImage(): Promise<PodImage> {
      const pod = await find(hostname().toLowerCase())
      const image = pod?.spec?.containers[0]?.image
      if (image === undefined)
        throw new DriverError(
          'no_image',
          `FORGE_KUBERNETES_IMAGE is not set, and the server does not run in a pod of the namespace ${namespace}`,
        )
      return { name: image, pullSecrets: pod?.spec?.imagePullSecrets?.flatMap(({ name = [] }) => name) ?? [] }
    },

    /** The last lines that a process has printed. */
    output: (key: string, lines: number): Promise<string> =>
      cluster.ask(({ core }) =>
        core.readNamespacedPodLog({ name: podNameOf(family, key), namespace, tailLines: lines }),
      ),

    /** The last trouble that the cluster told of with a pod, such as that its storage cannot be mounted. */
    async trouble(uid: string): Promise<string | undefined> {
      const fieldSelector = `involvedObject.uid=${uid},type=Warning`
      const { items } = await cluster.ask(({ core }) => core.listNamespacedEvent({ namespace, fieldSelector }))
      const [last] = items.toSorted((one, other) => timeOf(other) - timeOf(one))
      return last?.message?.trim().replace(/\.$/, '').slice(0, 500)
    },

    /** The pods of this platform, with since when each exists. */
    async all(): Promise<{ key: string; launch: string; createdAt: number }[]> {
      const labelSelector = `${podLabels.home}=${family}`
      const { items } = await cluster.ask(({ core }) => core.listNamespacedPod({ namespace, labelSelector }))
      return items.map(({ metadata }) => ({
        key: metadata?.annotations?.[keyAnnotation] ?? '',
        launch: metadata?.labels?.[podLabels.launch] ?? '',
        createdAt: metadata?.creationTimestamp?.getTime() ?? 0,
      }))
    },

    /** Does the cluster answer, and let the platform see its pods? @throws DriverError */
    check: (): Promise<unknown> => cluster.ask(({ core }) => core.listNamespacedPod({ namespace, limit: 1 })),
  }
}

const timeOf = ({ lastTimestamp, eventTime }: { lastTimestamp?: Date; eventTime?: Date }) =>
  (lastTimestamp ?? eventTime)?.getTime() ?? 0

/** Why a process cannot be taken for ended, and what a person can do. */
export const notGone = (node: string) =>
  `The node ${node} has not said that the process before has ended. If that node is lost, remove it from the cluster or taint it with node.kubernetes.io/out-of-service`
