import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { type Capabilities, DriverError, type DriverHealth, type InstanceSpec } from '../../driver.ts'
import { keyOf, partsOf } from '../../slots.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../confinement/confinement.ts'
import { forgottenSeconds, knowsToken, quietly, userFor } from '../containers/shared.ts'
import { isInstanceId, type Paths, pathsOf } from '../paths.ts'
import { trainingOf } from '../pool/training.ts'
import { hungReason } from '../process/hung.ts'
import {
  forget,
  type LaunchOptions,
  type Launched,
  launchSpecOf,
  planFor,
  recordOf,
  startFailed,
} from '../process/launch.ts'
import type { OwnProcess } from '../process/process.ts'
import type { Processes } from '../process/processes.ts'
import { type InstanceRecord, readRecord, writeRecord } from '../record.store.ts'
import { askUsage } from '../usage/usage.asked.ts'
import { openCluster } from './cluster.ts'
import { answerPort, graceSeconds, podBody, type PodImage } from './pod.body.ts'
import { familyOf, instanceLabelOf, podNameOf, secretNameOf } from './pod.labels.ts'
import type { PodView } from './pod.view.ts'
import { createPods, notGone } from './pods.ts'
import { viewPods } from './pods.view.ts'

/** Between two looks at one that begins, should its changes not be heard of. */
const lookMs = 2_000
/** The least that a node is told to wait. With 0 the cluster would forget a pod that may still run. */
const atOnceSeconds = 1
const outputLines = 200
const loopback = /^(localhost|127\.|\[::1\])/

/**
 * Processes of instances, each in a pod of its own, on any node of a cluster. Their folders are on a volume that all pods
 * share; control and HTTP go over the address of the pod.
 */
export function createKubernetes(config: Config, confinement: Confinement) {
  const options = config.kubernetes
  const cluster = openCluster(options)
  const family = familyOf({ home: config.home, claim: options.claim })
  const view = viewPods(cluster, family)
  const pods = createPods(cluster, family, view)

  /** The address of the platform. @throws DriverError for one that pods do not reach. */
  function platformUrlOf(): string {
    const { host, hostname } = new URL(options.platformUrl)
    if (loopback.test(hostname))
      throw new DriverError('platform_here', `Pods do not reach the platform at ${host}: see FORGE_KUBERNETES_URL`)
    return options.platformUrl
  }

  let own: PodImage | undefined
  /** The image does not change while this process runs in it. */
  async function imageOf(): Promise<PodImage> {
    const { image: name, pullSecrets } = options
    return name === undefined ? (own ??= await pods.ownImage()) : { name, pullSecrets }
  }

  async function start(paths: Paths, spec: InstanceSpec, launch: LaunchOptions): Promise<Launched> {
    const { nodeRedPath, slot } = launch
    const key = keyOf(spec.id, slot)
    const identity = randomUUID()
    let plan: ReturnType<typeof planFor> | undefined
    try {
      const platformUrl = platformUrlOf()
      await view.follow()
      const image = await imageOf()
      await pods.clear(key)
      const { socketDir, account } = await confinement.prepare(paths, nodeRedPath)
      const user = userFor(confinement, account)
      plan = planFor({ socketDir, port: answerPort })
      const record = recordOf(spec, launch, plan, { identity, pod: podNameOf(family, key) })
      // Noted first: with its secret the process has all that it needs.
      writeRecord(paths, record)
      const whole = { ...launchSpecOf(paths, spec, launch, plan), platformUrl }
      const wanted = {
        name: podNameOf(family, key),
        key,
        paths,
        nodeRedPath,
        filesDir: spec.filesDir,
        training: trainingOf(config, nodeRedPath),
        memory: spec.stack.memory,
        user,
        image,
        secret: secretNameOf(identity),
        labels: { home: family, launch: identity },
      }
      await pods.create(identity, JSON.stringify(whole), podBody(config, wanted))
      record.address = await begun(key, identity)
      writeRecord(paths, record)
      if (view.hasOther(instanceLabelOf(key), identity)) await pods.protect(key)
      return { record, waited: false }
    } catch (error) {
      if (plan) await quietly(pods.remove(key, identity, atOnceSeconds))
      if (plan && readRecord(paths, key)?.identity === identity) forget(paths, plan)
      throw error instanceof DriverError ? error : startFailed(error)
    }
  }

  /** Where the process of a launch answers, once it runs. @throws DriverError with the reason when it does not. */
  async function begun(key: string, launch: string): Promise<NonNullable<InstanceRecord['address']>> {
    const until = Date.now() + options.waitSeconds * 1_000
    for (;;) {
      const pod = await view.look(podNameOf(family, key), launch)
      const { isRunning, isOver, address, reason, waits, node } = pod
      if (isRunning && address) return address
      if (isOver) throw new DriverError('start_failed', `The process did not begin: ${reason ?? 'it ended at once'}`)
      if (waits?.isFinal) throw new DriverError('start_failed', waits.reason)
      if (Date.now() > until)
        throw new DriverError(node === undefined ? 'no_node' : 'start_failed', await whyNotBegun(pod))
      await view.changed(lookMs)
    }
  }

  async function whyNotBegun({ waits, node, uid }: PodView): Promise<string> {
    if (waits) return waits.reason
    if (node === undefined) return 'No node of the cluster takes this instance'
    const trouble = await quietly(pods.trouble(uid))
    return `The node ${node} has not begun within ${options.waitSeconds} s${trouble === undefined ? '' : `: ${trouble}`}`
  }

  const viewOf = (record: InstanceRecord) => view.known(record.identity)
  const isRunning = (record: InstanceRecord) => viewOf(record)?.isRunning ?? true

  async function findOwn(record: InstanceRecord): Promise<OwnProcess | undefined> {
    await view.follow()
    const { isRunning: runs, address } = await view.look(record.pod!, record.identity)
    if (!runs) return undefined
    // The platform ended between the start of the process and the note of where it answers.
    if (!record.address && address) {
      record.address = address
      writeRecord(pathsOf(config.instancesDir, record.id), record)
    }
    return {
      answers: await knowsToken(record),
      signal: (name) => pods.remove(record.id, record.identity, name === 'SIGKILL' ? atOnceSeconds : graceSeconds),
    }
  }

  const look = async (record: InstanceRecord) =>
    (await view.recent(record.pod!, record.identity))?.isRunning ?? isRunning(record)

  const processes: Processes = {
    get capabilities() {
      return { ...capabilities, gaps: [...capabilities.gaps, ...confinement.diskGaps()] }
    },
    start,
    isAlive: isRunning,
    look,
    findOwn,
    async isGoneWithin(record, ms) {
      for (const until = Date.now() + ms; ; ) {
        if (!(await look(record))) return true
        const left = until - Date.now()
        if (left <= 0) return false
        await view.changed(Math.min(left, lookMs))
      }
    },
    // Nodes do not end with the machine of the platform.
    isOfThisBoot: () => true,
    async endReason(record) {
      await view.recent(record.pod!, record.identity)
      return viewOf(record)?.reason
    },
    async ranOutOfMemory(record) {
      await view.recent(record.pod!, record.identity)
      return viewOf(record)?.ranOutOfMemory === true
    },
    async keepOutput({ id }, { output }) {
      const said = await quietly(pods.output(id, outputLines))
      if (said !== undefined) await writeFile(output, said, { mode: 0o600 })
    },
    async endLeftovers({ id, identity }) {
      // With the pod everything of it is gone.
      await quietly(pods.remove(id, identity))
    },
    hungReason(record) {
      const { node } = viewOf(record) ?? {}
      const where = node === undefined ? 'its node' : `the node ${node}`
      return `${hungReason({ pid: undefined })} Or ${where} does not reach the platform any more.`
    },
    stuckReason(record) {
      const { isLeaving, node } = viewOf(record) ?? {}
      return isLeaving && node !== undefined ? notGone(node) : undefined
    },
    usage: askUsage,
  }

  return {
    processes,

    /** Looks at the cluster. */
    async health(): Promise<NonNullable<DriverHealth['engine']>> {
      try {
        await pods.check()
        return { reachable: true }
      } catch (error) {
        return { reachable: false, reason: (error as Error).message }
      }
    },

    /** Removes the pods of this platform that no record tells of. Without the cluster that waits for the next time. */
    async sweep(): Promise<void> {
      await view.follow()
      for (const { key, launch, createdAt } of (await quietly(pods.all())) ?? []) {
        if (!isInstanceId(partsOf(key).id)) continue
        const isNoted = readRecord(pathsOf(config.instancesDir, key), key)?.identity === launch
        if (!isNoted && Date.now() - createdAt > forgottenSeconds * 1_000) await quietly(pods.remove(key, launch))
      }
    },

    close: view.close,
  }
}

const capabilities: Omit<Capabilities, 'outlivesPlatform'> = {
  enforcesMemory: true,
  limitsProcesses: false,
  endsDescendants: true,
  isolatesInstances: true,
  gaps: [
    'The number of processes that flows start is limited by the nodes of the cluster alone (podPidsLimit of the kubelet): a pod cannot ask for it.',
  ],
}
