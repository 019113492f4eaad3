import { CoreV1Api, KubeConfig, Watch } from '@kubernetes/client-node'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startApiDouble } from './api.double.ts'
import type { Stored } from './objects.double.ts'

/*
 * The rules of the API server that the double keeps, asked for with the official client. Tests of the driver lean on them.
 */
const verbs = ['get', 'list', 'watch', 'create', 'update', 'delete']
const everything = [{ apiGroups: ['', 'policy'], resources: ['pods', 'pods/status', 'pods/log', 'secrets'], verbs }]
const namespace = 'flowforge'

async function begin() {
  const api = await startApiDouble({ rules: everything })
  onTestFinished(() => api.close())
  const config = new KubeConfig()
  config.loadFromFile(api.kubeconfig)
  const core = config.makeApiClient(CoreV1Api)
  const pod = (name: string, more: object = {}) => ({
    namespace,
    body: {
      metadata: { name, labels: { app: 'oven' }, ...more },
      spec: { containers: [{ name: 'one', image: 'oven' }], terminationGracePeriodSeconds: 5 },
    },
  })
  return { api, config, core, pod }
}

const refused = (code: number) => ({ code, body: expect.any(String) })

test('names are unique, and every change has a version of its own', async () => {
  const { core, pod } = await begin()
  const made = await core.createNamespacedPod(pod('one'))
  const other = await core.createNamespacedPod(pod('two'))
  expect(Number(other.metadata!.resourceVersion)).toBeGreaterThan(Number(made.metadata!.resourceVersion))
  await expect(core.createNamespacedPod(pod('one'))).rejects.toMatchObject({
    ...refused(409),
    body: expect.stringContaining('AlreadyExists'),
  })
  const list = await core.listNamespacedPod({ namespace, labelSelector: 'app=oven' })
  expect(list.metadata!.resourceVersion).toBe(other.metadata!.resourceVersion)
  expect((await core.listNamespacedPod({ namespace, labelSelector: 'app=mill' })).items).toEqual([])
})

test('who has not seen the last change of an object does not change it, and the status is changed apart', async () => {
  const { core, pod } = await begin()
  const made = await core.createNamespacedPod(pod('one'))
  const changed = structuredClone(made)
  changed.metadata!.labels = { app: 'mill' }
  changed.status = { phase: 'Running' }
  const after = await core.replaceNamespacedPod({ name: 'one', namespace, body: changed })
  expect([after.metadata!.labels, after.status!.phase]).toEqual([{ app: 'mill' }, 'Pending'])
  await expect(core.replaceNamespacedPod({ name: 'one', namespace, body: made })).rejects.toMatchObject({
    ...refused(409),
    body: expect.stringContaining('Conflict'),
  })
  const status = structuredClone(after)
  status.status = { phase: 'Running' }
  status.metadata!.labels = {}
  const told = await core.replaceNamespacedPodStatus({ name: 'one', namespace, body: status })
  expect([told.metadata!.labels, told.status!.phase]).toEqual([{ app: 'mill' }, 'Running'])
})

test('what is on a node waits for it, a grace is only shortened, and finalizers keep what is deleted', async () => {
  const { core, api, pod } = await begin()
  const first = await core.createNamespacedPod(pod('waits'))
  await core.deleteNamespacedPod({ name: 'waits', namespace })
  await expect(core.readNamespacedPod({ name: 'waits', namespace })).rejects.toMatchObject(refused(404))

  const placed = await core.createNamespacedPod(pod('placed'))
  placed.spec!.nodeName = 'node-1'
  await core.replaceNamespacedPod({ name: 'placed', namespace, body: placed })
  const remove = (more: object) => core.deleteNamespacedPod({ name: 'placed', namespace, body: more })
  await expect(remove({ preconditions: { uid: first.metadata!.uid! } })).rejects.toMatchObject(refused(409))
  await remove({})
  await remove({ gracePeriodSeconds: 60 })
  const left = await core.readNamespacedPod({ name: 'placed', namespace })
  expect(left.metadata).toMatchObject({ deletionGracePeriodSeconds: 5, deletionTimestamp: expect.any(Date) })
  await remove({ gracePeriodSeconds: 0 })
  expect(api.objects.list('pods/flowforge').items).toEqual([])

  const kept = await core.createNamespacedPod(pod('kept', { finalizers: ['oven.test/keep'] }))
  await core.deleteNamespacedPod({ name: 'kept', namespace })
  const marked = await core.readNamespacedPod({ name: 'kept', namespace })
  expect(marked.metadata!.uid).toBe(kept.metadata!.uid)
  delete marked.metadata!.finalizers
  await core.replaceNamespacedPod({ name: 'kept', namespace, body: marked })
  expect(api.objects.list('pods/flowforge').items).toEqual([])
})

test('a watch tells what happened since a version, sends bookmarks, and answers 410 for one that is forgotten', async () => {
  const { api, config, core, pod } = await begin()
  const from = (await core.listNamespacedPod({ namespace })).metadata!.resourceVersion!
  await core.createNamespacedPod(pod('one'))
  const watch = new Watch(config)
  const hear = async (resourceVersion: string, more: object = {}) => {
    const seen: [string, Stored & { code?: number }][] = []
    const ended = Promise.withResolvers<void>()
    const path = `/api/v1/namespaces/${namespace}/pods`
    const asked = await watch.watch(
      path,
      { resourceVersion, ...more },
      (type, object) => seen.push([type, object]),
      () => ended.resolve(),
    )
    onTestFinished(() => asked.abort())
    return { seen, ended: ended.promise }
  }
  const { seen } = await hear(from, { allowWatchBookmarks: true })
  await until('the past is told', () => seen[0]?.[0] === 'ADDED')
  await core.deleteNamespacedPod({ name: 'one', namespace })
  await until('the end is told', () => seen.some(([type]) => type === 'DELETED'))
  const [, mark] = await until('a bookmark', () => seen.findLast(([type]) => type === 'BOOKMARK'))
  expect(Number(mark.metadata.resourceVersion)).toBeGreaterThan(Number(from))
  api.objects.compact()
  const late = await hear(from)
  await Promise.race([late.ended, delay(5_000, undefined, { ref: false })])
  expect(late.seen).toEqual([['ERROR', expect.objectContaining({ code: 410, reason: 'Expired' })]])
})

test('strangers, missing rights, and objects that the published schemas do not know are refused', async () => {
  const { core, pod, config } = await begin()
  const body = pod('one').body
  const wrong = { ...body, spec: { ...body.spec, restartPolicy: 5 as unknown as string, volumes: [{}] } }
  await expect(core.createNamespacedPod({ namespace, body: wrong as never })).rejects.toMatchObject({
    ...refused(422),
    body: expect.stringMatching(
      /\/spec\/restartPolicy is wrong .*string.*\/spec\/volumes\/0 is wrong .*missingProperty.*name/s,
    ),
  })
  const { server, caData } = config.getCurrentCluster()!
  const ca = Buffer.from(caData!, 'base64')
  const call = (text: string, token = config.getCurrentUser()!.token!) =>
    new Promise<[number | undefined, string]>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` }
      const path = `${server}/api/v1/namespaces/${namespace}/pods`
      const made = request(path, { method: 'POST', headers, ca, agent: false }, (answer) => {
        void json(answer).then((said) => resolve([answer.statusCode, (said as { message: string }).message]), reject)
      })
      made.on('error', reject).end(text)
    })
  const [status, message] = await call(JSON.stringify({ ...body, spec: { ...body.spec, hostname: 'a', nodeNam: 'b' } }))
  expect([status, message]).toEqual([422, expect.stringContaining('/spec/nodeNam is no field of V1PodSpec')])
  expect(await call('{}', 'guess')).toEqual([401, 'Unauthorized'])
  await expect(core.listNamespacedConfigMap({ namespace })).rejects.toMatchObject(refused(403))
})

test('it comes back on its port, also where another program has that for a while', async () => {
  const { api, core } = await begin()
  const port = Number(new URL(api.server).port)
  await api.shut()
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  const back = api.listen()
  await new Promise((resolve) => other.close(resolve))
  await back
  expect((await core.listNamespacedPod({ namespace })).items).toEqual([])
})
