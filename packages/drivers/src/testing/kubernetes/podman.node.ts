import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { nodeIn } from '../../local/stacks/stack.node.ts'
import { runtimeEntry, stacksDir } from '../local.harness.ts'
import type { ApiDouble } from './api.double.ts'
import type { Change, Stored } from './objects.double.ts'

/** The image of the tests under a name that is not asked of a registry each time. */
const image = 'localhost/forge-test-pod:1'

/** Runs Podman. @throws Error with what it said. */
function podman(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('podman', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`podman ${args.join(' ')} failed: ${error?.message ?? ''}${stdout}${stderr}`)
  return stdout.trim()
}

/**
 * A node of the double of a cluster that runs its pods with `podman kube play`, so real containers with what the pod asks
 * for. Podman 4.3 does not know all words of it, so some are put in others: folders of a claim (`subPath`) and of a secret are
 * folders of this machine; nothing tells the process its address (`status.podIP`), so it answers on all that it has; its port
 * is not named, for Podman would open it on this machine. What the image of the server has is mounted.
 */
export function startPodmanNode(api: ApiDouble, { claim, from }: { claim: string; from: string }) {
  const { objects, namespace } = api
  const collection = `pods/${namespace}`
  const folder = mkdtempSync(join(tmpdir(), 'forge-podman-'))
  const played = new Set<string>()
  podman('tag', from, image)

  function play(pod: Stored): void {
    const { name } = pod.metadata
    objects.update(collection, name, { ...pod, spec: { ...pod.spec, nodeName: 'podman' } })
    const file = join(folder, `${name}.yaml`)
    writeFileSync(file, stringify(inOtherWords(pod, claim, keepSecret), { aliasDuplicateObjects: false }))
    podman('kube', 'play', file)
    played.add(name)
    const infra = podman('pod', 'inspect', name, '--format', '{{.InfraContainerID}}')
    const address = podman('inspect', infra, '--format', '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}')
    objects.patchStatus(collection, name, {
      phase: 'Running',
      podIP: address,
      ...state({ running: { startedAt: new Date().toISOString() } }),
    })
  }

  /** The folder of a secret, as a node mounts it. */
  function keepSecret(name: string): string {
    const at = join(folder, name)
    mkdirSync(at, { recursive: true })
    chmodSync(folder, 0o711)
    const { data } = objects.get(`secrets/${namespace}`, name)
    for (const [file, text] of Object.entries(data as Record<string, string>))
      writeFileSync(join(at, file), Buffer.from(text, 'base64'), { mode: 0o444 })
    return at
  }

  function end({ metadata: { name, uid, deletionGracePeriodSeconds } }: Stored): void {
    if (!played.delete(name)) return
    podman('pod', 'stop', '--time', String(deletionGracePeriodSeconds), name)
    objects.remove(collection, name, { seconds: 0, uid })
    podman('pod', 'rm', '--force', name)
  }

  const hear = ({ type, object: pod }: Change) => {
    if (type === 'ADDED') play(pod)
    if (type === 'MODIFIED' && pod.metadata.deletionTimestamp !== undefined) end(pod)
  }
  api.setLogs((pod, lines) =>
    podman('logs', ...(lines === undefined ? [] : ['--tail', String(lines)]), `${pod}-node-red`),
  )
  const stop = objects.watch(collection, objects.version, (change) => setImmediate(() => hear(change)))
  return {
    /** The container of a pod as Podman tells it. */
    inspect: (name: string) => JSON.parse(podman('inspect', `${name}-node-red`)) as [Inspected],
    close(): void {
      stop()
      for (const name of played) podman('pod', 'rm', '--force', name)
      podman('rmi', '--force', image)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Inspected {
  HostConfig: { ReadonlyRootfs: boolean; Memory: number; CapDrop: string[]; SecurityOpt: string[] }
  Config: { User: string }
}

const state = (of: object) => ({
  containerStatuses: [{ name: 'node-red', image, imageID: '', ready: true, restartCount: 0, state: of }],
})

/** The pod as Podman takes it. */
function inOtherWords(
  { apiVersion, kind, metadata, spec }: Stored,
  claim: string,
  folderOf: (secret: string) => string,
) {
  const [container] = spec.containers
  const folders = container.volumeMounts.filter(({ subPath }) => subPath !== undefined)
  const others = container.volumeMounts.filter(({ subPath }) => subPath === undefined)
  const onMachine = [
    ...folders.map(({ subPath, mountPath, readOnly }) => ({ path: join(claim, subPath!), mountPath, readOnly })),
    ...shipped().map((path) => ({ path, mountPath: path, readOnly: true })),
  ].map((one, at) => ({ ...one, name: `folder-${at}` }))
  return {
    apiVersion,
    kind,
    metadata: { name: metadata.name, labels: metadata.labels, annotations: metadata.annotations },
    spec: {
      ...spec,
      containers: [
        {
          ...container,
          image,
          ports: [],
          env: container.env.filter(({ valueFrom }) => valueFrom === undefined),
          volumeMounts: [
            ...others,
            ...onMachine.map(({ name, mountPath, readOnly }) => ({ name, mountPath, readOnly })),
          ],
        },
      ],
      volumes: [
        ...spec.volumes.flatMap(({ persistentVolumeClaim: ofClaim, secret, ...volume }) =>
          ofClaim ? [] : [secret ? { ...volume, hostPath: { path: folderOf(secret.secretName!) } } : volume],
        ),
        ...onMachine.map(({ name, path }) => ({ name, hostPath: { path } })),
      ],
    },
  }
}

/** Paths that the image of the server has. */
const shipped = (): string[] => [
  ...new Set([
    stacksDir,
    dirname(dirname(runtimeEntry)),
    join(dirname(runtimeEntry), '../../../node_modules'),
    nodeIn(stacksDir),
  ]),
]
