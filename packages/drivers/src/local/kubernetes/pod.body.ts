import type { V1Container, V1Pod, V1PodSpec, V1Toleration, V1VolumeMount } from '@kubernetes/client-node'
import { podAddressVariable } from '@app/contract/instance-link.constants'
import { isAbsolute, relative } from 'node:path'
import type { Config } from '../config.ts'
import { type Inside, insideOf } from '../containers/container.body.ts'
import { fromFile, script } from '../containers/container.script.ts'
import { partsOf } from '../../slots.ts'
import { appName, instanceLabelOf, keyAnnotation, podLabels } from './pod.labels.ts'

/** Every pod has an address of its own, so the port can be the same for all. */
export const answerPort = 4880
/** The file of the specification in its secret. */
export const launchFile = 'launch'
/** From the signal by which Kubernetes asks a process to end until it kills it. */
export const graceSeconds = 10
/** After so long without a word of its node a pod is given up, instead of 300 s. */
const awaySeconds = 30
const temporaryMib = 64
/** The name of the container, and of the volumes. */
const container = 'node-red'
const volumes = { storage: 'storage', launch: 'launch', temporary: 'tmp' }

export interface WantedPod extends Inside {
  name: string
  user: { uid: number; gid: number }
  secret: string
  image: PodImage
  labels: { home: string; launch: string }
}

/** An image, and the secrets with which it is fetched. */
export interface PodImage {
  name: string
  pullSecrets: readonly string[]
}

/**
 * The cluster is asked to make this: a pod of one container that is never started a second time. What becomes of an
 * instance that has ended is decided by the platform alone.
 */
export function podBody(config: Config, wanted: WantedPod): V1Pod {
  const { key, name, labels } = wanted
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: {
        [podLabels.app]: appName,
        [podLabels.home]: labels.home,
        [podLabels.launch]: labels.launch,
        [podLabels.instance]: instanceLabelOf(key),
      },
      annotations: { [keyAnnotation]: key, 'flowforge.id': partsOf(key).id },
    },
    spec: specOf(config, wanted),
  }
}

function specOf(config: Config, wanted: WantedPod): V1PodSpec {
  const { nodeSelector, tolerations, claim } = config.kubernetes
  const {
    key,
    user,
    secret,
    image: { pullSecrets },
  } = wanted
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: graceSeconds,
    // Flows get no rights in the cluster, and need not know what else is in it.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user.uid,
      runAsGroup: user.gid,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [containerOf(config, wanted)],
    volumes: [
      { name: volumes.storage, persistentVolumeClaim: { claimName: claim } },
      // The file belongs to root, and no other container has it.
      { name: volumes.launch, secret: { secretName: secret, defaultMode: 0o444, optional: false } },
      { name: volumes.temporary, emptyDir: { medium: 'Memory', sizeLimit: `${temporaryMib}Mi` } },
    ],
    tolerations: [...tolerations, ...away('not-ready'), ...away('unreachable')],
    // Two processes of one instance are on two nodes where there are two.
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: 'kubernetes.io/hostname',
              labelSelector: { matchLabels: { [podLabels.instance]: instanceLabelOf(key) } },
            },
          },
        ],
      },
    },
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((each) => ({ name: each })) }),
  }
}

function containerOf(config: Config, wanted: WantedPod): V1Container {
  const { requests } = config.kubernetes
  const { paths, memory, image } = wanted
  const { command, env, mounts } = insideOf(config, wanted, paths.logDir)
  return {
    name: container,
    image: image.name,
    command: ['/bin/sh'],
    args: ['-c', script(fromFile(`${paths.socketDir}/${launchFile}`, 'kept')), container, ...command],
    workingDir: '/',
    env: [
      ...env.map((one) => ({ name: one.slice(0, one.indexOf('=')), value: one.slice(one.indexOf('=') + 1) })),
      { name: podAddressVariable, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ],
    ports: [{ name: 'link', containerPort: answerPort, protocol: 'TCP' }],
    // It tells the cluster alone. Whether Node-RED is well, and what follows, is between the platform and the process.
    readinessProbe: { tcpSocket: { port: answerPort }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    resources: {
      limits: {
        memory: `${memory}Mi`,
        ...(config.cpus === undefined ? {} : { cpu: `${Math.round(config.cpus * 1000)}m` }),
      },
      requests: {
        memory: `${Math.ceil(memory * requests.memory)}Mi`,
        cpu: `${Math.round(Math.min(requests.cpu, config.cpus ?? Infinity) * 1000)}m`,
      },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      privileged: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    volumeMounts: [
      ...mounts.flatMap(({ Target, ReadOnly }) => mountOf(config, Target, ReadOnly)),
      { name: volumes.launch, mountPath: paths.socketDir, readOnly: true },
      { name: volumes.temporary, mountPath: '/tmp' },
    ],
  }
}

/** A folder on the shared storage. Everything else is in the image, at the same path as in that of the server. */
function mountOf({ home, kubernetes }: Config, path: string, readOnly: boolean): V1VolumeMount[] {
  const subPath = relative(kubernetes.claimRoot ?? home, path)
  if (subPath === '' || subPath.startsWith('..') || isAbsolute(subPath)) return []
  return [{ name: volumes.storage, mountPath: path, subPath, readOnly }]
}

const away = (taint: string): V1Toleration[] => [
  { key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: awaySeconds },
]
