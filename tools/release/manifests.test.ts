import { faultsOf, type Manifest } from '@app/drivers/testing/kubernetes-schemas'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test, type TestContext } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../apps/server/src/config.ts'
import { clusterTools, recentKubectl } from '../test/cluster.tools.ts'

const deploy = join(import.meta.dirname, '../../deploy')
/** The schemas that the tests have know nothing of the Gateway API. */
const unknownKind = 'HTTPRoute'

/** The manifests that a program renders; a test says so where there is none. */
async function render(context: TestContext, tool: string | undefined, ...args: string[]) {
  if (tool === undefined)
    return context.annotate(`Left out: there is no program here for ${args[0]} ${args.at(-1)}.`).then(() => undefined)
  const env = { PATH: process.env.PATH, HOME: '/nowhere' }
  const text = execFileSync(tool, args, { encoding: 'utf8', stdio: 'pipe', env })
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((one) => one !== null)
}

const chart = (context: TestContext, ...values: string[]) => {
  const name = ['forge', join(deploy, 'helm/flowforge'), '--namespace', 'flows', '--kube-version', '1.30.0']
  return render(context, clusterTools()?.helm, 'template', ...name, ...values.flatMap((value) => ['--set', value]))
}
const kustomized = (context: TestContext, name: string, tool = recentKubectl()) =>
  render(context, tool, 'kustomize', join(deploy, 'kubernetes', name))

const faultsIn = async (manifests: Manifest[]) => {
  const found = manifests.filter(({ kind }) => kind !== unknownKind).map(faultsOf)
  return (await Promise.all(found)).flat()
}
const find = (manifests: Manifest[], kind: string) => manifests.find((one) => one.kind === kind) as never as Found

interface PodSpec {
  serviceAccountName: string
  volumes: object[]
  containers: [{ image: string; env?: { name: string; value?: string }[]; envFrom: object[] }]
}

interface Found {
  metadata: { namespace: string }
  rules: unknown
  data: Record<string, string>
  spec: Record<string, unknown> & { template: { spec: PodSpec } }
}

const inside = [
  'ingress.enabled=true',
  'ingress.hosts={forge.example.com,*.flows.example.com}',
  'ingress.tlsSecret=tls',
]

test('the chart renders objects that the published schemas know, with every value', async (context) => {
  const usual = await chart(context)
  if (!usual) return
  expect(await faultsIn(usual)).toEqual([])
  expect(usual.map(({ kind = '' }) => kind).toSorted((a, b) => a.localeCompare(b))).toEqual([
    'ConfigMap',
    'NetworkPolicy',
    'PersistentVolumeClaim',
    'Role',
    'RoleBinding',
    'Service',
    'ServiceAccount',
    'StatefulSet',
  ])
  const full = await chart(
    context,
    ...inside,
    'ingress.className=nginx',
    'ingress.annotations.example=one',
    'gateway.enabled=true',
    'gateway.parentRefs[0].name=outer',
    'gateway.hosts={forge.example.com}',
    'image.tag=2.0.0',
    'image.pullSecrets={registry}',
    'storage.storageClass=nfs',
    'instances.nodeSelector.pool=flows',
    'instances.nodeSelector.disk=fast',
    'instances.tolerations={dedicated=flows:NoSchedule,gpu:NoExecute}',
    'nodeSelector.pool=servers',
    'tolerations[0].key=servers',
    'tolerations[0].operator=Exists',
    'settings.FORGE_DATABASE_POOL=20',
  )
  expect(await faultsIn(full!)).toEqual([])
  for (const { metadata } of full!)
    expect(metadata).toMatchObject({ name: expect.stringMatching(/^forge/), namespace: 'flows' })
  expect(find(full!, 'StatefulSet').spec.template.spec.containers[0].image).toBe('flowforge:2.0.0')
  expect(find(full!, unknownKind).spec).toEqual({
    parentRefs: [{ name: 'outer' }],
    hostnames: ['forge.example.com'],
    rules: [{ backendRefs: [{ name: 'forge', port: 3000 }] }],
  })
  const { containers } = readConfig(find(full!, 'ConfigMap').data)
  expect(containers).toMatchObject({
    drivers: ['kubernetes'],
    kubernetes: {
      namespace: 'flows',
      claim: 'forge',
      url: 'http://forge.flows.svc:3000',
      nodeSelector: { disk: 'fast', pool: 'flows' },
      tolerations: [{ key: 'dedicated', value: 'flows' }, { key: 'gpu' }],
    },
  })
})

test('a claim that exists is used in the place of a new one, and the network policy can be left out', async (context) => {
  const own = await chart(context, 'storage.existingClaim=data', 'instances.networkPolicy=false')
  if (!own) return
  const kinds = own.map(({ kind }) => kind)
  expect(['PersistentVolumeClaim', 'NetworkPolicy'].filter((kind) => kinds.includes(kind))).toEqual([])
  expect(find(own, 'ConfigMap').data.FORGE_KUBERNETES_CLAIM).toBe('data')
  expect(JSON.stringify(find(own, 'StatefulSet').spec)).toContain('"claimName":"data"')
})

/** The pod of the server without that which is named differently. */
function podOf(manifests: Manifest[]) {
  const {
    serviceAccountName: _,
    volumes: _volumes,
    containers,
    ...spec
  } = find(manifests, 'StatefulSet').spec.template.spec
  const { env: _env, envFrom: _from, image: _image, ...container } = containers[0]
  return { ...spec, container }
}

test('Kustomize renders the same: rights, pod and policy, with objects that the published schemas know', async (context) => {
  const own = await kustomized(context, 'base', clusterTools()?.kubectl ?? recentKubectl())
  const ofChart = await chart(context)
  if (!own || !ofChart) return
  expect(await faultsIn(own)).toEqual([])
  expect(find(own, 'Role').rules).toEqual(find(ofChart, 'Role').rules)
  expect(find(own, 'NetworkPolicy').spec).toEqual(find(ofChart, 'NetworkPolicy').spec)
  expect(podOf(own)).toEqual(podOf(ofChart))
})

test('the example of Kustomize has a way in, storage, and settings that the server takes', async (context) => {
  const example = await kustomized(context, 'example')
  if (!example) return
  expect(await faultsIn(example)).toEqual([])
  expect(example.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Ingress', 'PersistentVolumeClaim']))
  const [{ env = [], image }] = find(example, 'StatefulSet').spec.template.spec.containers
  expect(image).toBe('registry.example.com/flowforge:0.1.0')
  const given = env.flatMap(({ name, value }) => (value === undefined || value.includes('$(') ? [] : [[name, value]]))
  const { containers, baseUrl } = readConfig({ ...find(example, 'ConfigMap').data, ...Object.fromEntries(given) })
  expect([containers?.drivers, baseUrl]).toEqual([['kubernetes'], 'https://forge.example.com'])
})
