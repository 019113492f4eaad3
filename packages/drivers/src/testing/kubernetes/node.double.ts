import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openGroups } from '../../local/confinement/cgroup.ts'
import type { ApiDouble } from './api.double.ts'
import type { Change, Stored } from './objects.double.ts'

/** The kernel counts threads too, and a node of a cluster limits them by a setting of its own. */
const processesMax = 4_096

interface Running {
  pod: Stored
  child: ChildProcess
  address: string
  said: string[]
  ended: Promise<void>
}

export interface NodeOptions {
  name?: string
  labels?: Record<string, string>
  /** The folder that the claim of the pods stands for. */
  claim: string
}

/** Files of tests run side by side, each in a process of its own, and pods all answer on the same port. */
const network = `127.${64 + ((process.pid >> 8) & 63)}.${process.pid & 255}`
let addresses = 0

/**
 * A double of a node of a cluster: it takes the pods that no node has, and runs the process of each as a process of this
 * machine, with the user, the environment and the memory limit of the pod, at an address of its own on the loopback network.
 * It is none: there are no containers, so a process sees the files of this machine; the paths that a pod mounts must be
 * those of this machine, which is checked.
 */
export function startNodeDouble(api: ApiDouble, { name = 'node-1', labels = {}, claim }: NodeOptions) {
  const { objects, namespace } = api
  const collection = `pods/${namespace}`
  const groups = openGroups(`${claim} ${name}`)
  const running = new Map<string, Running>()
  let isLost = false

  const change = (pod: string, status: object): void => objects.patchStatus(collection, pod, status)

  function take({ metadata: { name: podName, uid: id } }: Stored): void {
    const pod = objects.list(collection).items.find(({ metadata }) => metadata.uid === id)
    // Another node was faster, or it is gone again.
    if (!pod || pod.spec.nodeName !== undefined) return
    const wanted = Object.entries(pod.spec.nodeSelector ?? {})
    if (wanted.some(([label, value]) => labels[label] !== value)) {
      const message = "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
      const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }]
      return change(podName, { conditions })
    }
    objects.update(collection, podName, { ...pod, spec: { ...pod.spec, nodeName: name } })
    const [{ image }] = pod.spec.containers
    const waits = (reason: string, message?: string) =>
      change(podName, {
        conditions: [{ type: 'PodScheduled', status: 'True' }],
        containerStatuses: [statusOf(pod, { waiting: { reason, ...(message && { message }) } })],
      })
    if (/missing/.test(image)) {
      waits('ErrImagePull', 'not found')
      return waits('ImagePullBackOff', `Back-off pulling image "${image}": not found`)
    }
    waits('ContainerCreating')
    try {
      begin(objects.get(collection, podName))
    } catch (error) {
      warn(pod, (error as Error).message)
    }
  }

  function warn(pod: Stored, message: string): void {
    const { uid, name: podName } = pod.metadata
    objects.create(`events/${namespace}`, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${podName}.${Date.now().toString(16)}` },
      involvedObject: { kind: 'Pod', name: podName, uid, namespace },
      type: 'Warning',
      reason: 'FailedMount',
      message,
      lastTimestamp: new Date().toISOString(),
    })
  }

  function begin(pod: Stored): void {
    const { name: podName, uid } = pod.metadata
    const [{ command, args, env, workingDir, resources }] = pod.spec.containers
    mount(pod)
    const { runAsUser, runAsGroup } = pod.spec.securityContext
    const address = `${network}.${(addresses++ % 250) + 2}`
    const given = env.map((one) => [one.name, one.value ?? address])
    const isOther = process.getuid?.() === 0 && runAsUser !== 0
    // Its signals do not reach this process, nor those of this process it.
    const child = spawn('/bin/sh', ['-c', 'read -r limited && exec "$@"', 'pod', ...command, ...args], {
      cwd: workingDir,
      env: Object.fromEntries(given),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(isOther && { uid: runAsUser, gid: runAsGroup }),
    })
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part.toString()))
    const memory = Number.parseInt(resources.limits.memory ?? '', 10)
    // It starts nothing before it is limited.
    const entered = groups
      .enter(uid, child.pid!, { memory, processes: processesMax })
      .catch(() => undefined)
      .then(() => void child.stdin.on('error', () => {}).end('limited\n'))
    const ended = new Promise<void>((resolve) => {
      child.once('exit', (code, signal) => void entered.then(() => end(podName, code, signal)).then(resolve))
    })
    running.set(uid, { pod, child, address, said, ended })
    const startedAt = new Date().toISOString()
    change(podName, {
      phase: 'Running',
      podIP: address,
      podIPs: [{ ip: address }],
      containerStatuses: [statusOf(pod, { running: { startedAt } })],
    })
  }

  /** Puts the secrets of a pod where it mounts them. @throws Error for a mount that would not be that of this machine. */
  function mount({ spec }: Stored): void {
    for (const { name: volume, mountPath, subPath } of spec.containers[0].volumeMounts) {
      const source = spec.volumes.find((one) => one.name === volume)
      if (source?.persistentVolumeClaim && (join(claim, subPath ?? '') !== mountPath || !existsSync(mountPath)))
        throw new Error(`MountVolume.SetUp failed for volume "${volume}": ${subPath} is not ${mountPath}`)
      if (!source?.secret) continue
      const { secretName, defaultMode } = source.secret
      const secret = objects.list(`secrets/${namespace}`).items.find(({ metadata }) => metadata.name === secretName)
      if (!secret) throw new Error(`MountVolume.SetUp failed for volume "${volume}": secret "${secretName}" not found`)
      mkdirSync(mountPath, { recursive: true })
      for (const [file, data] of Object.entries((secret.data ?? {}) as Record<string, string>)) {
        rmSync(join(mountPath, file), { force: true })
        writeFileSync(join(mountPath, file), Buffer.from(data, 'base64'), { mode: defaultMode })
      }
    }
  }

  /** All of a container ends with its first process. */
  async function end(podName: string, code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    const one = [...running.values()].find(({ pod }) => pod.metadata.name === podName)
    if (!one) return
    const { uid } = one.pod.metadata
    const isOut = groups.outOfMemory(uid) > 0
    await groups.end(uid)
    killGroup(one.child)
    if (isLost) return
    running.delete(uid)
    finished.set(podName, one.said)
    const exitCode = code ?? 128 + (signal === 'SIGKILL' ? 9 : 15)
    const reason = isOut ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error'
    try {
      const { metadata } = objects.get(collection, podName)
      change(podName, {
        phase: exitCode === 0 ? 'Succeeded' : 'Failed',
        containerStatuses: [statusOf(one.pod, { terminated: { exitCode, reason } })],
      })
      if (metadata.deletionTimestamp !== undefined) objects.remove(collection, podName, { seconds: 0, uid })
    } catch {
      // Its pod was forgotten by force.
    }
  }
  const finished = new Map<string, string[]>()

  /** Asks a process to end, and kills it after its grace. */
  function leave(pod: Stored): void {
    const one = running.get(pod.metadata.uid)
    if (!one) {
      const { uid } = pod.metadata
      const isThere = objects.list(collection).items.some(({ metadata }) => metadata.uid === uid)
      if (isThere) objects.remove(collection, pod.metadata.name, { seconds: 0, uid })
      return
    }
    one.child.kill('SIGTERM')
    const limit = setTimeout(() => void kill(pod.metadata.uid), pod.metadata.deletionGracePeriodSeconds! * 1000)
    void one.ended.then(() => clearTimeout(limit))
  }

  async function kill(uid: string): Promise<void> {
    const one = running.get(uid)
    if (!one) return
    await groups.end(uid)
    one.child.kill('SIGKILL')
    killGroup(one.child)
  }

  function hear({ type, object: pod }: Change): void {
    if (isLost) return
    if (type === 'ADDED' && pod.spec.nodeName === undefined) take(pod)
    if (type === 'MODIFIED' && pod.metadata.deletionTimestamp !== undefined && pod.spec.nodeName === name) leave(pod)
    // Forgotten by force: what still runs is ended.
    if (type === 'DELETED' && running.has(pod.metadata.uid)) void kill(pod.metadata.uid)
  }
  const later = (work: Change) => setImmediate(() => hear(work))
  let stop = objects.watch(collection, objects.version, later)
  api.setLogs((pod, lines) => {
    const live = [...running.values()].find((one) => one.pod.metadata.name === pod)
    const all = (live?.said ?? finished.get(pod) ?? []).join('').split('\n')
    return all.slice(-(lines ?? all.length)).join('\n')
  })

  const find = (pod: string) => [...running.values()].find((one) => one.pod.metadata.name === pod)
  return {
    /** The walls and limits that a node has which runs pods so. */
    can: { memory: groups.can.memory, kill: groups.can.kill, users: process.getuid?.() === 0 },
    pidOf: (pod: string): number | undefined => find(pod)?.child.pid,
    addressOf: (pod: string): string | undefined => find(pod)?.address,
    /** Kills all processes of a pod, as nobody has asked for. */
    async crash(pod: string): Promise<void> {
      const one = find(pod)
      if (one) await kill(one.pod.metadata.uid)
    },
    /** Kubernetes ends a pod itself, and says why. */
    evict(pod: string, reason: string): void {
      const { status } = objects.get(collection, pod)
      change(pod, {
        conditions: [...(status?.conditions ?? []), { type: 'DisruptionTarget', status: 'True', reason }],
      })
      objects.remove(collection, pod, { seconds: 1 })
    },
    /** The node has too little memory left: its kubelet ends a pod. */
    async pressure(pod: string, message: string): Promise<void> {
      const one = find(pod)!
      running.delete(one.pod.metadata.uid)
      await groups.end(one.pod.metadata.uid)
      one.child.kill('SIGKILL')
      killGroup(one.child)
      change(pod, { phase: 'Failed', reason: 'Evicted', message, containerStatuses: [] })
    },
    /** The node is cut off: it hears and tells nothing any more, and its processes stand still. */
    lose(): void {
      isLost = true
      for (const { child } of running.values()) signalGroup(child, 'SIGSTOP')
    },
    /** It comes back: it ends what is to be deleted, and what was forgotten. */
    find(): void {
      isLost = false
      for (const { child, pod } of running.values()) {
        signalGroup(child, 'SIGCONT')
        const now = objects.list(collection).items.find(({ metadata }) => metadata.uid === pod.metadata.uid)
        if (!now) void kill(pod.metadata.uid)
        else if (now.metadata.deletionTimestamp !== undefined) leave(now)
      }
    },
    async close(): Promise<void> {
      stop()
      isLost = false
      for (const { pod, child } of running.values()) {
        signalGroup(child, 'SIGCONT')
        await kill(pod.metadata.uid)
      }
      stop = () => {}
    },
  }
}

export type NodeDouble = ReturnType<typeof startNodeDouble>

const statusOf = (pod: Stored, state: object) => ({
  name: pod.spec.containers[0].name,
  image: pod.spec.containers[0].image,
  imageID: '',
  ready: 'running' in state,
  restartCount: 0,
  state,
})

const killGroup = (child: ChildProcess) => signalGroup(child, 'SIGKILL')

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch {
    // It is gone.
  }
}
