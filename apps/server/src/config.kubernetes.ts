import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { always, optionally } from './config.setting.ts'
import { isOrigin, listed, wholeNumber } from './config.values.ts'

/** The Kubernetes cluster in whose pods instances can run. */
export interface KubernetesConfig {
  /** File with the address of the cluster and how to sign in; absent: those of the pod of the server. */
  kubeconfig?: string
  namespace: string
  claim: string
  /** Absent: FORGE_HOME. */
  claimRoot?: string
  /** Absent: that of the pod of the server. */
  image?: string
  pullSecrets: string[]
  /** Address of the platform for pods; absent: that of people. */
  url?: string
  nodeSelector: Record<string, string>
  tolerations: Toleration[]
  requests: { cpu: number; memory: number }
  waitSeconds: number
}

interface Toleration {
  key: string
  operator: 'Equal' | 'Exists'
  value?: string
  effect?: string
}

const name = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const labelKey = String.raw`(?:[a-z0-9][a-z0-9.-]*/)?[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?`
const labelValue = String.raw`(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?`
const label = new RegExp(`^${labelKey}=${labelValue}$`)
const taint = new RegExp(
  `^(?<key>${labelKey})(?:=(?<value>${labelValue}))?(?::(?<effect>NoSchedule|PreferNoSchedule|NoExecute))?$`,
)

const items = (text: string) => listed(text).filter((one) => one !== '')
const each = (form: RegExp) =>
  z
    .string()
    .transform(items)
    .refine((all) => all.every((one) => form.test(one)))

function tolerationOf(text: string): Toleration {
  const { key = '', value, effect } = taint.exec(text)!.groups!
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' as const } : { operator: 'Equal' as const, value }),
    ...(effect === undefined ? {} : { effect }),
  }
}

/** The settings about a cluster. */
export const kubernetesSettings = {
  FORGE_KUBERNETES_CONFIG: optionally(z.string().refine(isAbsolute), {
    about:
      'File with the address of the Kubernetes cluster and how to sign in there (kubeconfig). Without it the server uses the service account of the pod in which it runs.',
    expected: 'the path of a file',
    example: '/etc/flowforge/kubeconfig',
  }),
  FORGE_KUBERNETES_NAMESPACE: always(z.string().regex(name), {
    about:
      'Namespace in which instances run as pods. The server needs the rights of deploy/kubernetes/base/account.yaml there.',
    expected: 'the name of a namespace',
    fallback: 'flowforge',
    example: 'flows',
  }),
  FORGE_KUBERNETES_CLAIM: always(z.string().regex(name), {
    about:
      'Persistent volume claim in FORGE_KUBERNETES_NAMESPACE whose volume holds FORGE_HOME. Many nodes must be able to write to it at once (ReadWriteMany). Each pod mounts the folders of its instance.',
    expected: 'the name of a persistent volume claim',
    fallback: 'flowforge',
    example: 'flowforge-data',
  }),
  FORGE_KUBERNETES_CLAIM_ROOT: optionally(z.string().refine(isAbsolute), {
    about: 'Folder at which the volume of FORGE_KUBERNETES_CLAIM is mounted, if FORGE_HOME is a folder inside it.',
    expected: 'the path of a folder',
    fallback: 'FORGE_HOME',
    example: '/srv/shared',
  }),
  FORGE_KUBERNETES_IMAGE: optionally(z.string().regex(/^[a-z0-9][\w./:@-]*$/i), {
    about:
      'Image of the pods of instances. It must be the image of the server, which has Node.js and the program of instances at the same paths.',
    expected: 'the name of an image, with a tag or a digest',
    fallback: 'the image of the pod in which the server runs, with its pull secrets',
    example: 'registry.example.com/flowforge:0.1.0',
  }),
  FORGE_KUBERNETES_PULL_SECRETS: always(each(name), {
    about: 'Secrets with which nodes fetch the image of FORGE_KUBERNETES_IMAGE.',
    expected: 'a list of names of secrets, separated by commas',
    fallback: '',
    example: 'registry',
  }),
  FORGE_KUBERNETES_URL: optionally(z.string().refine(isOrigin), {
    about:
      'Address of this server for pods, if they cannot use FORGE_BASE_URL: usually that of its service in the cluster.',
    expected: 'an http:// or https:// address without a path',
    fallback: 'FORGE_BASE_URL',
    example: 'http://flowforge.flowforge.svc:3000',
  }),
  FORGE_KUBERNETES_NODES: always(
    each(label).transform((all) => Object.fromEntries(all.map((one) => one.split('=') as [string, string]))),
    {
      about: 'Labels that a node must have to run instances.',
      expected: 'a list of labels such as pool=flows, separated by commas',
      fallback: '',
      example: 'pool=flows',
    },
  ),
  FORGE_KUBERNETES_TOLERATIONS: always(
    each(taint).transform((all) => all.map(tolerationOf)),
    {
      about:
        'Taints of nodes that pods of instances tolerate, in the form of `kubectl taint`. One without a value is tolerated with any value.',
      expected: 'a list of taints such as dedicated=flows:NoSchedule, separated by commas',
      fallback: '',
      example: 'dedicated=flows:NoSchedule',
    },
  ),
  FORGE_KUBERNETES_REQUEST_CPU: always(
    z
      .string()
      .regex(/^\d{1,3}(\.\d{1,3})?$/)
      .transform(Number),
    {
      about: 'Processors that a node keeps free for each instance. FORGE_INSTANCE_CPUS limits what it may use.',
      expected: 'a number of processors, with at most three decimals',
      fallback: '0.05',
      example: '0.1',
    },
  ),
  FORGE_KUBERNETES_REQUEST_MEMORY: always(
    z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number)
      .pipe(z.number().min(1).max(100)),
    {
      about:
        'Part of the memory of its stack that a node keeps free for an instance, in percent. Below 100 more instances fit on a node; when all want their memory at once, the node ends some.',
      expected: 'a whole number from 1 to 100',
      fallback: '100',
      example: '50',
    },
  ),
  FORGE_KUBERNETES_WAIT_SECONDS: always(wholeNumber(5, 3_600), {
    about:
      'Seconds that the start of an instance waits for a node with room, and for its image. In a cluster that adds nodes on demand, set it to the time that this takes.',
    expected: 'a whole number from 5 to 3600',
    fallback: '120',
    example: '600',
  }),
}

interface Values {
  FORGE_KUBERNETES_CONFIG?: string | undefined
  FORGE_KUBERNETES_NAMESPACE: string
  FORGE_KUBERNETES_CLAIM: string
  FORGE_KUBERNETES_CLAIM_ROOT?: string | undefined
  FORGE_KUBERNETES_IMAGE?: string | undefined
  FORGE_KUBERNETES_PULL_SECRETS: string[]
  FORGE_KUBERNETES_URL?: string | undefined
  FORGE_KUBERNETES_NODES: Record<string, string>
  FORGE_KUBERNETES_TOLERATIONS: Toleration[]
  FORGE_KUBERNETES_REQUEST_CPU: number
  FORGE_KUBERNETES_REQUEST_MEMORY: number
  FORGE_KUBERNETES_WAIT_SECONDS: number
}

/** Puts the settings about a cluster together. */
export const kubernetesOf = (values: Values): KubernetesConfig => ({
  ...(values.FORGE_KUBERNETES_CONFIG !== undefined && { kubeconfig: values.FORGE_KUBERNETES_CONFIG }),
  namespace: values.FORGE_KUBERNETES_NAMESPACE,
  claim: values.FORGE_KUBERNETES_CLAIM,
  ...(values.FORGE_KUBERNETES_CLAIM_ROOT !== undefined && { claimRoot: values.FORGE_KUBERNETES_CLAIM_ROOT }),
  ...(values.FORGE_KUBERNETES_IMAGE !== undefined && { image: values.FORGE_KUBERNETES_IMAGE }),
  pullSecrets: values.FORGE_KUBERNETES_PULL_SECRETS,
  ...(values.FORGE_KUBERNETES_URL !== undefined && { url: values.FORGE_KUBERNETES_URL.replace(/\/$/, '') }),
  nodeSelector: values.FORGE_KUBERNETES_NODES,
  tolerations: values.FORGE_KUBERNETES_TOLERATIONS,
  requests: { cpu: values.FORGE_KUBERNETES_REQUEST_CPU, memory: values.FORGE_KUBERNETES_REQUEST_MEMORY / 100 },
  waitSeconds: values.FORGE_KUBERNETES_WAIT_SECONDS,
})
