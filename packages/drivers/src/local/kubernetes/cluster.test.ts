import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { codeFlow } from '../../testing/flows.ts'
import { askInstance } from '../../testing/instance.http.ts'
import { openKubernetes } from '../../testing/kubernetes/kubernetes.harness.ts'
import { startNodeDouble } from '../../testing/kubernetes/node.double.ts'
import { ownRules } from '../../testing/kubernetes/rights.double.ts'
import { begun, readRecord, runs } from '../../testing/local.harness.ts'
import { tokenOf } from '../../testing/platform.double.ts'
import { until } from '../../testing/until.ts'

async function begin(...given: Parameters<typeof openKubernetes>) {
  const opened = await openKubernetes(...given)
  onTestFinished(() => opened.close())
  const { driver, api } = opened
  return {
    ...opened,
    pods: () => api.objects.list('pods/flowforge').items,
    secrets: () => api.objects.list('secrets/flowforge').items,
    budgets: () => api.objects.list('poddisruptionbudgets/flowforge').items,
    crashed: (id: string) =>
      until('it has crashed', async () => {
        const status = await driver.status(id)
        return status.state === 'crashed' && status
      }),
    begun: async (flows?: object[]) => begun(opened, flows),
  }
}

test('a pod has no rights, mounts the folders of its instance alone, and holds no secret; what it started with goes with it', async () => {
  const { driver, begun, pods, secrets, home } = await begin({
    tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  })
  const { id } = await begun()
  const [pod] = pods()
  const { containers, securityContext, volumes, ...rest } = pod!.spec
  const [{ volumeMounts, resources, securityContext: own }] = containers
  expect(rest).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    tolerations: [{ key: 'dedicated' }, { tolerationSeconds: 30 }, { tolerationSeconds: 30 }],
  })
  expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  expect(own).toEqual({
    allowPrivilegeEscalation: false,
    privileged: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  expect(resources).toEqual({ limits: { memory: '256Mi' }, requests: { memory: '256Mi', cpu: '50m' } })
  const written = volumeMounts.filter(({ readOnly }) => readOnly !== true)
  expect(written.map(({ subPath, mountPath }) => subPath ?? mountPath)).toEqual([
    `instances/${id}/user`,
    `instances/${id}/logs`,
    '/tmp',
  ])
  expect(volumes.map(({ hostPath }) => hostPath)).toEqual([undefined, undefined, undefined])
  const { controlToken } = (await readRecord(home, id)) as unknown as { controlToken: string }
  expect(JSON.stringify(pod)).not.toContain(controlToken)
  expect(JSON.stringify(pod)).not.toContain('credential-secret')
  expect(secrets()).toHaveLength(1)
  await driver.stop(id)
  expect([pods(), secrets()]).toEqual([[], []])
})

test('it answers on the address of its pod alone, to whoever has the proof', async () => {
  const { driver, begun, node, podOf } = await begin()
  const { id } = await begun()
  const endpoint = driver.endpoint(id) as { host: string; port: number; proof: string }
  expect(endpoint).toMatchObject({ host: node.addressOf(await podOf(id)), port: 4880 })
  expect((await askInstance(endpoint, '/')).status).toBe(200)
  await expect(askInstance({ ...endpoint, host: '127.0.0.1' }, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await expect(askInstance({ ...endpoint, proof: 'A'.repeat(43) }, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a watch goes on from where it was, and after a gap that the cluster has forgotten lists anew', async () => {
  const { api, begun, crash, crashed } = await begin()
  const [one, other] = [await begun(), await begun()]
  const lists = () => api.calls.filter((call) => call === 'list pods').length
  const watches = () => api.calls.filter((call) => call === 'watch pods').length
  const [listed, watched] = [lists(), watches()]
  api.dropWatches()
  await until('it watches again', () => watches() > watched)
  await crash(one.id)
  await crashed(one.id)
  expect(lists()).toBe(listed)
  await api.shut()
  await crash(other.id)
  api.objects.compact()
  await api.listen()
  await crashed(other.id)
  await until('it lists again', () => lists() > listed)
})

test('while the API server is away instances serve, and starts and stops say why they fail; then what happened is noticed', async () => {
  const { api, driver, spec, begun, crash, crashed } = await begin()
  const one = await begun()
  await api.shut()
  const away = {
    name: 'DriverError',
    message: expect.stringContaining(`The Kubernetes API server does not answer at ${api.server}: `),
  }
  expect((await askInstance(driver.endpoint(one.id)!, '/')).status).toBe(200)
  await expect(driver.start(spec())).rejects.toMatchObject(away)
  await expect(driver.stop(one.id)).rejects.toMatchObject(away)
  expect((await driver.health()).engine).toEqual({ reachable: false, reason: away.message })
  // On a busy machine its process may be silent for a while; it is heard of again without the API server.
  await runs(driver, one.id)
  await crash(one.id)
  await api.listen()
  await crashed(one.id)
  expect((await driver.health()).engine).toEqual({ reachable: true })
  await driver.start(one)
  await runs(driver, one.id)
})

test('a platform that starts while the API server is away finds its instances', async () => {
  const { api, driver, begun, reopen } = await begin()
  const { id } = await begun()
  await driver.close()
  await api.shut()
  const next = reopen()
  expect(await next.adopt()).toEqual([id])
  await runs(next, id)
  await api.listen()
  await next.stop(id)
  expect(api.objects.list('pods/flowforge').items).toEqual([])
})

test('a right that is missing, and credentials that are not accepted, are told in a sentence', async () => {
  const rules = ownRules().filter(({ resources }) => !resources.includes('secrets'))
  const { driver, spec, api, open } = await begin({}, { api: { rules } })
  await expect(driver.start(spec())).rejects.toMatchObject({
    code: 'cluster_forbids',
    message: expect.stringMatching(/^Kubernetes does not allow it: secrets is forbidden: User \S+ cannot create/),
  })
  const text = readFileSync(api.kubeconfig, 'utf8').replace(api.token, 'another')
  await writeFile(`${api.kubeconfig}.other`, text)
  const stranger = open({ kubeconfig: `${api.kubeconfig}.other` })
  await expect(stranger.start(spec())).rejects.toMatchObject({
    code: 'cluster_refuses',
    message: 'Kubernetes does not accept the credentials of the platform: Unauthorized',
  })
  await expect(open({ kubeconfig: '/nowhere' }).start(spec())).rejects.toMatchObject({ code: 'no_cluster' })
})

test.for([
  [
    { image: 'registry.test/missing:1' },
    'start_failed',
    /^The node node-1 cannot fetch the image \S+missing:1: Back-off/,
  ],
  [
    { nodeSelector: { pool: 'flows' }, waitSeconds: 1 },
    'no_node',
    /^No node of the cluster takes this instance: 0\/1 nodes/,
  ],
  [
    { platformUrl: 'http://127.0.0.1:3000' },
    'platform_here',
    /^Pods do not reach the platform at 127.0.0.1:3000: see FORGE_K/,
  ],
] as const)(
  'a start that cannot succeed fails with the reason, and leaves nothing: %o',
  async ([more, code, message]) => {
    const { driver, spec, pods, secrets } = await begin(more)
    const one = spec()
    await expect(driver.start(one)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
    expect(await driver.status(one.id)).toEqual({ state: 'stopped' })
    expect([pods(), secrets()]).toEqual([[], []])
  },
)

test('storage that a node cannot mount is named', async () => {
  const { driver, spec } = await begin({ waitSeconds: 1 }, { node: { claim: '/elsewhere' } })
  await expect(driver.start(spec())).rejects.toMatchObject({
    message: expect.stringMatching(
      /^The node node-1 has not begun within 1 s: MountVolume.SetUp failed for volume "storage"/,
    ),
  })
})

test('Kubernetes tells why it ended a pod', async () => {
  const { begun, node, podOf, crashed, api } = await begin()
  const [drained, squeezed, removed] = [await begun(), await begun(), await begun()]
  node.evict(await podOf(drained.id), 'EvictionByEvictionAPI')
  expect((await crashed(drained.id)).reason).toBe('Kubernetes took it off the node node-1, which is being drained')
  await node.pressure(await podOf(squeezed.id), 'The node was low on resource: memory.')
  expect((await crashed(squeezed.id)).reason).toBe(
    'Kubernetes evicted it from the node node-1: The node was low on resource: memory',
  )
  api.objects.remove('pods/flowforge', await podOf(removed.id), { seconds: 1 })
  expect((await crashed(removed.id)).reason).toBe('Its pod was deleted from the cluster')
})

test('an instance on a node that is lost is unknown, and starts elsewhere only when its end is certain', {
  timeout: 180_000,
}, async () => {
  const { driver, begun, node, podOf, api, home, pods } = await begin()
  const one = await begun(codeFlow('msg.payload = String(process.pid); return msg'))
  const pod = await podOf(one.id)
  const second = startNodeDouble(api, { name: 'node-2', claim: home })
  onTestFinished(() => second.close())
  node.lose()
  const { reason } = await until(
    'it is unknown',
    async () => {
      const status = await driver.status(one.id)
      return status.state === 'unknown' && status
    },
    60_000,
  )
  expect(reason).toContain('Or the node node-1 does not reach the platform any more.')
  await expect(driver.stop(one.id)).rejects.toMatchObject({
    code: 'stop_failed',
    message: expect.stringMatching(
      /^The node node-1 has not said that the process before has ended\. If that node is lost, remove it/,
    ),
  })
  expect(pods()).toHaveLength(1)
  // Somebody has removed the node, and Kubernetes forgets what was there.
  api.objects.remove('pods/flowforge', pod)
  await driver.start(one)
  await runs(driver, one.id)
  expect(pods().map(({ spec }) => spec.nodeName)).toEqual(['node-2'])
  node.find()
  await until('the node has ended what was forgotten', () => node.pidOf(pod) === undefined)
  expect((await driver.status(one.id)).state).toBe('running')
})

test('two servers that start the same instance at once do not make two of it', async () => {
  const { driver, spec, open, pods } = await begin()
  const one = spec()
  await Promise.allSettled([driver.start(one), open().start(one)])
  expect(pods().length).toBeLessThanOrEqual(1)
})

test('a platform that was killed before it noted where a process answers finds it all the same', async () => {
  const { driver, begun, home, open } = await begin()
  const { id } = await begun()
  await driver.close()
  const { address: _, ...record } = await readRecord(home, id)
  await writeFile(`${home}/instances/${id}/record.json`, JSON.stringify(record))
  const next = open()
  expect(await next.adopt()).toEqual([id])
  await runs(next, id)
  expect((await askInstance(next.endpoint(id)!, '/')).status).toBe(200)
})

test('a disruption budget stands while an instance has two processes', async () => {
  const { driver, begun, budgets } = await begin()
  const one = await begun()
  expect(budgets()).toEqual([])
  await driver.pair!.start(one, 1)
  const [budget] = budgets()
  expect(budget!.spec).toMatchObject({ minAvailable: 1, selector: { matchLabels: { 'flowforge.instance': one.id } } })
  await driver.pair!.stop(one.id, 1)
  expect(budgets()).toEqual([])
})

test('without a setting the image is that of the pod in which the server runs', async () => {
  const { api, driver, spec, open, pods } = await begin()
  const unset = open({ image: undefined })
  await expect(unset.start(spec())).rejects.toMatchObject({
    code: 'no_image',
    message: 'FORGE_KUBERNETES_IMAGE is not set, and the server does not run in a pod of the namespace flowforge',
  })
  api.objects.create('pods/flowforge', {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: hostname().toLowerCase() },
    spec: {
      nodeName: 'node-9',
      containers: [{ image: 'registry.test/own:2' }],
      imagePullSecrets: [{ name: 'registry' }],
    },
  })
  const one = spec()
  await unset.start(one)
  const { containers, imagePullSecrets } = pods().find(({ spec: { nodeName } }) => nodeName === 'node-1')!.spec
  expect([containers[0].image, imagePullSecrets]).toEqual(['registry.test/own:2', [{ name: 'registry' }]])
  await driver.stop(one.id)
})

test('ids that are no names in a cluster have pods all the same', async () => {
  const { driver, spec, pods } = await begin()
  const one = { ...spec(), id: 'Own_Id', token: tokenOf('Own_Id') }
  await driver.start(one)
  expect(pods()).toHaveLength(1)
  await driver.remove(one.id)
  expect(pods()).toEqual([])
})
