import type { DeploymentDraft, Instance } from '@app/contract'
import { DriverError } from '@app/drivers'
import { expect, test } from 'vitest'
import { openWorkshop, send } from '../../../testing/index.ts'

const { server, admin, owner, application, inState, running, raw, read, script, settled } = await openWorkshop()

const tab = { id: 'tab', type: 'tab', label: 'Oven' }
const node = (id: string, type: string, more: object = {}) => ({ id, type, z: 'tab', wires: [], ...more })
const called = (id: string, type: string, more: object = {}) => node(id, type, { name: id, ...more })
const at = (id: string, type: string, named = true) => ({
  id,
  type,
  ...(named ? { name: id } : {}),
  tab: { id: 'tab', label: 'Oven' },
})
async function tell(instance: Instance, path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${await server.build.instanceToken(instance)}` }
  expect((await send(server.address, 'POST', `/storage/${instance.id}/${path}`, { headers, body })).status).toBe(200)
}
const preview = (instance: Instance, body: DeploymentDraft) =>
  owner.client.call('deployment.preview', { params: { instanceId: instance.id }, body })
const importing = (flows: object[]) => ({ files: { flows: JSON.stringify(flows) } })
const foreseen = async (instance: Instance, flows: object[]) => (await preview(instance, importing(flows))).foreseen
/** As Node-RED notes what it has loaded. */
const note = (module: string, version: string, ...types: string[]) => ({
  [module]: { name: module, version, local: true, nodes: { all: { name: 'all', types, enabled: true } } },
})

test('flows of nodes that are there, with all they need, foretell nothing', async () => {
  const flows = [
    { ...tab, env: [{ name: 'OWN', type: 'str', value: 'a' }] },
    { id: 'sub', type: 'subflow', name: 'Sub' },
    node('a', 'inject', { props: [{ p: 'payload', v: 'OWN', vt: 'env' }] }),
    node('b', 'subflow:sub'),
    node('c', 'function', { func: 'await 1\nreturn msg', libs: [] }),
    node('d', 'mqtt in', { topic: '${FF_INSTANCE_NAME}' }),
    node('e', 'change', { rules: [{ t: 'set', p: 'x', to: 'HOME', tot: 'env' }] }),
  ]
  expect(await foreseen(await running(), flows)).toEqual([])
})

test('node types that are missing name the module that has them, and can be installed with the import', async () => {
  const [instance, other] = [await running(), await running()]
  await tell(other, 'settings', { nodes: note('node-red-contrib-oven', '2.4.1', 'oven-in', 'oven-out') })
  const flows = [
    tab,
    called('heat', 'oven-in'),
    called('more', 'oven-in'),
    called('page', 'ui-base'),
    called('odd', 'nobody-knows'),
    { id: 'all', type: 'global-config', env: [], modules: { '@flowfuse/node-red-dashboard': '1.30.0' } },
  ]
  const oven = { name: 'node-red-contrib-oven', version: '2.4.1' }
  const dashboard = { name: '@flowfuse/node-red-dashboard', version: '1.30.0' }
  const unknown = {
    kind: 'type',
    sentence: 'The node type nobody-knows is missing, and no module is known that has it.',
    stops: true,
    codes: ['type:nobody-knows'],
    types: ['nobody-knows'],
    node: at('odd', 'nobody-knows'),
  }
  expect(await foreseen(instance, flows)).toEqual([
    {
      kind: 'type',
      sentence: 'The module node-red-contrib-oven is not installed. 2 nodes of type oven-in need it.',
      stops: true,
      codes: ['type:oven-in'],
      types: ['oven-in'],
      node: at('heat', 'oven-in'),
      module: oven,
    },
    {
      kind: 'type',
      sentence: 'The module @flowfuse/node-red-dashboard is not installed. 1 node of type ui-base needs it.',
      stops: true,
      codes: ['type:ui-base'],
      types: ['ui-base'],
      node: at('page', 'ui-base'),
      module: dashboard,
    },
    unknown,
  ])

  const install = [oven, dashboard]
  const chosen = await preview(instance, { ...importing(flows), install })
  expect(chosen.foreseen).toEqual([unknown])
  expect(chosen.changes.modules).toEqual(install.map(({ name, version }) => ({ name, new: version })))
  const bring = () => raw('POST', `/${instance.id}/import`, { ...importing(flows).files, install })
  // They are fetched before anything is touched.
  script().failNext('prepareModules', new DriverError('module_missing', 'No such module'))
  expect((await bring()).status).toBe(200)
  expect((await settled(instance.id))[0]).toMatchObject({ state: 'failed', error: 'No such module' })
  expect((await read(instance.id)).settings.palette?.modules).toEqual([])
  script().haveModules({})
  expect((await bring()).status).toBe(200)
  expect((await settled(instance.id))[0]).toMatchObject({ state: 'done' })
  expect((await read(instance.id)).settings.palette?.modules).toEqual(install.map((one) => ({ ...one, local: true })))
  expect(script().spec(instance.id)?.modules).toEqual({ [oven.name]: '2.4.1', [dashboard.name]: '1.30.0' })
})

test('a fault that keeps the flows of the instance from running now is told, where the new ones have it too', async () => {
  const instance = await running()
  const flows = [tab, node('x', 'press'), node('use', 'function')]
  // One that nobody has noted may have any type.
  await raw('PUT', `/${instance.id}`, {
    settings: { palette: { modules: [{ name: 'node-red-contrib-press', version: '1.0.2', local: true }] } },
  })
  await settled(instance.id)
  expect((await foreseen(instance, flows))[0]).not.toHaveProperty('stops')
  const stopped = { state: 'stopped' as const, missingTypes: ['press', 'gone'], missingModules: [] }
  script().haveFlows(instance.id, { ...stopped, reason: 'missing-types' })
  await raw('POST', `/${instance.id}/actions/restart`)
  await settled(instance.id)
  expect((await foreseen(instance, flows))[1]).toEqual({
    kind: 'type',
    sentence: 'Its flows do not run: node type press is missing. The new flows need the same.',
    stops: true,
    codes: ['type:press'],
  })
})

test('modules that flows name, and whose types nobody knows, are offered; after that nothing is certain', async () => {
  const instance = await running()
  const flows = [
    tab,
    node('x', 'press'),
    { id: 'all', type: 'global-config', modules: { 'node-red-contrib-press': '~1.0.2' } },
  ]
  const module = { name: 'node-red-contrib-press', version: '~1.0.2' }
  expect(await foreseen(instance, flows)).toMatchObject([{ kind: 'type', stops: true, module }])
  const { foreseen: left } = await preview(instance, { ...importing(flows), install: [module] })
  expect(left).toMatchObject([
    { sentence: 'The node type press may be missing: no instance of the team has run a module with it yet.' },
  ])
  expect(left[0]).not.toHaveProperty('stops')
})

test('functions that do not parse are named with their line, and nothing of them is run', async () => {
  const instance = await running()
  const flows = [
    tab,
    called('enrich', 'function', { func: 'const a = 1\nmsg.payload = {;\nreturn msg' }),
    called('begin', 'function', { func: 'return msg', initialize: 'return }' }),
    called('off', 'function', { func: '{{{', d: true }),
    called('trick', 'function', { func: '})(); globalThis.__ran = true; (function () {' }),
  ]
  expect(await foreseen(instance, flows)).toEqual([
    {
      kind: 'function',
      sentence: 'The function node "enrich" does not parse: Unexpected token \';\' (line 2).',
      node: at('enrich', 'function'),
    },
    {
      kind: 'function',
      sentence: 'The function node "begin" does not parse in its setup: Unexpected token \'}\' (line 1).',
      node: at('begin', 'function'),
    },
  ])
  expect(globalThis).not.toHaveProperty('__ran')
  // Problems that existed before are not reported.
  await tell(instance, 'flows', flows)
  expect(await foreseen(instance, flows)).toEqual([])
})

test('flows of which no node can work need a yes to that; one that works, and those that are disabled, count', async () => {
  const instance = await running()
  const broken = called('enrich', 'function', { func: 'msg.payload = {;' })
  const off = called('off', 'inject', { d: true })
  const aside = { id: 'aside', type: 'tab', label: 'Aside', disabled: true }
  const elsewhere = called('elsewhere', 'inject', { z: 'aside', props: [] })
  const flows = [tab, aside, broken, off, elsewhere, called('note', 'comment'), { id: 'tls', type: 'tls-config' }]
  const nodes = { kind: 'function', sentence: 'None of the nodes works: no function parses.', stops: true }
  expect(await foreseen(instance, flows)).toMatchObject([{ ...nodes, codes: ['nodes'] }, { kind: 'function' }])
  const works = called('works', 'inject', { props: [] })
  expect(await foreseen(instance, [...flows, works])).toMatchObject([{ kind: 'function' }])
})

test('flows without an enabled node are told, and need a yes where others had one, whether the instance runs or not', async () => {
  const instance = await running()
  const aside = { ...tab, disabled: true }
  const sentence = { kind: 'nodes', sentence: 'These flows have no enabled nodes: nothing will run.' }
  expect(await foreseen(instance, [tab])).toEqual([sentence])
  await tell(instance, 'flows', [tab, called('beat', 'inject', { props: [] })])
  const told = { ...sentence, stops: true }
  const bare = [[], [tab], [aside, called('beat', 'inject', { props: [] })], [{ id: 'sub', type: 'subflow' }]]
  for (const flows of bare) expect(await foreseen(instance, flows)).toEqual([{ ...told, codes: ['nodes'] }])
  await raw('POST', `/${instance.id}/actions/suspend`)
  await inState(instance.id, 'suspended')
  expect(await foreseen(instance, [])).toEqual([{ ...told, codes: ['nodes'] }])
})

test('an http in node without a path is told, and needs a yes where nothing else works', async () => {
  const instance = await running()
  const empty = called('ask', 'http in', { url: '', method: 'get', wires: [['say']] })
  const said = { kind: 'nodes', sentence: 'The http in node "ask" has no path, so it waits for ever.' }
  const works = called('works', 'inject', { props: [] })
  expect(await foreseen(instance, [tab, empty, works])).toEqual([{ ...said, node: at('ask', 'http in') }])
  const none = { stops: true, codes: ['nodes'] }
  expect(await foreseen(instance, [tab, empty, called('say', 'template')])).toMatchObject([none, said])
  const unset = { ...empty, url: '${NOWHERE}' }
  const variable = { sentence: 'The variable NOWHERE has no value. The http in node "ask" uses it.' }
  expect(await foreseen(instance, [tab, unset, called('say', 'template')])).toMatchObject([none, variable])
})

test('nodes of which Node-RED only warns, or says nothing, are told unless they were so before or are off', async () => {
  const instance = await running()
  const works = [tab, called('works', 'inject', { props: [] })]
  const waiting = [
    called('orders', 'mqtt in', { topic: 'plant/+x' }),
    called('nothing', 'mqtt in', { topic: '' }),
    called('udp', 'udp in', { port: '' }),
    called('far', 'udp in', { port: '70000' }),
    called('tcp', 'tcp in', { server: 'server', port: '' }),
    called('ask', 'http in', { url: '/a', method: 'head' }),
    called('line', 'mqtt in', { topic: 'plant/${LINE}/oven' }),
    called('beat', 'inject', { repeat: 'often', props: [] }),
    called('below', 'inject', { repeat: '-5', props: [] }),
    called('modbus-read', 'unknown'),
    { id: 'ws', type: 'websocket-client', path: 'oven:1880' },
    { id: 'sub', type: 'subflow', name: 'Sub' },
    { ...called('inner', 'mqtt in', { topic: 'a#' }), z: 'sub' },
  ]
  const used = called('use', 'subflow:sub')
  const told = [
    'The mqtt in node "orders" has a topic that is no MQTT topic, so it waits for ever.',
    'The mqtt in node "nothing" has no topic, so it waits for ever.',
    'The udp in node "udp" has no port, so it waits for ever.',
    'The udp in node "far" has a port that is no port number, so it waits for ever.',
    'The tcp in node "tcp" has no port, so it waits for ever.',
    'The http in node "ask" has no method that Node-RED answers, so it waits for ever.',
    'The mqtt in node "line" has a variable within its topic, which Node-RED does not replace, so it waits for ever.',
    'The inject node "beat" has an interval that is no number, so it waits for ever.',
    'The inject node "below" has an interval below zero, so it waits for ever.',
    'The unknown node "modbus-read" stands in for a node whose type was missing, so it waits for ever.',
    'A websocket-client node has an address that begins with neither ws:// nor wss://, so it waits for ever.',
    'The mqtt in node "inner" has a topic that is no MQTT topic, so it waits for ever.',
  ]
  const sentences = async (flows: object[]) => (await foreseen(instance, flows)).map(({ sentence }) => sentence)
  expect(await sentences([...works, ...waiting, used])).toEqual(told)
  expect(await sentences([...works, ...waiting])).toEqual(told.filter((one) => !one.includes('"inner"')))
  expect(await sentences([...works, ...waiting.map((one) => ({ ...one, d: true }))])).toEqual([])
  expect(await sentences([tab, ...waiting.slice(0, 1)])).toEqual([
    'None of the nodes works: they wait for ever or do not parse.',
    told[0],
  ])
  await tell(instance, 'flows', [...works, ...waiting, used])
  expect(await sentences([...works, ...waiting, used])).toEqual([])
})

test('nodes with the ID of another, or the path of another http in node, are told unless they were so before', async () => {
  const instance = await running()
  const wires = [['out']]
  const asked = (id: string, url: string, more = {}) => called(id, 'http in', { url, method: 'get', wires, ...more })
  const flows = [
    tab,
    node('out', 'http response'),
    asked('bread', '/bread'),
    asked('again', 'Bread/'),
    asked('off', '/bread', { d: true }),
    asked('posted', '/bread', { method: 'post' }),
    asked('named', '/${NAME}', { name: 'named' }),
    asked('home', '/'),
    asked('sent', '/', { method: 'post' }),
    called('twin', 'change', { name: 'first' }),
    called('twin', 'change', { name: 'second' }),
    called('copy', 'debug'),
    called('copy', 'debug'),
  ]
  const sentences = async (next: object[]) =>
    (await foreseen(instance, next)).flatMap(({ kind, sentence }) => (kind === 'nodes' ? [sentence] : []))
  expect(await sentences(flows)).toEqual([
    'The change node "first" has the ID of another node, which runs in its place.',
    'The http in node "home" has the path of a page or call of the editor, and gets no requests.',
    'The http in node "again" has the path of an http in node that comes first, and gets no requests.',
  ])
  await tell(instance, 'flows', flows)
  expect(await sentences(flows)).toEqual([])
})

test('an http in node whose requests nobody answers is told, unless it was so before or gets none', async () => {
  const instance = await running()
  const asked = (id: string, url: string) => called(id, 'http in', { url, method: 'get', wires: [['say']] })
  const silent = [tab, asked('bread', '/bread'), called('say', 'template')]
  const flows = [...silent, asked('again', '/bread'), asked('none', ''), asked('unset', '${NOWHERE}')]
  const told = async (next: object[]) =>
    (await foreseen(instance, next)).filter(({ sentence }) => sentence.includes('never get an answer'))
  expect(await told(flows)).toEqual([
    {
      kind: 'nodes',
      sentence: 'The http in node "bread" leads to no http response node, so its requests never get an answer.',
      node: at('bread', 'http in'),
    },
  ])
  const answers = [called('say', 'template', { wires: [['out']] }), node('out', 'http response')]
  expect(await told([...silent.slice(0, 2), ...answers])).toEqual([])
  await tell(instance, 'flows', silent)
  expect(await told(silent)).toEqual([])
})

test('bystanders do not make flows work, nor does a subflow whose nodes are disabled', async () => {
  const instance = await running()
  const broken = [
    tab,
    called('in', 'http in', { url: '/a', method: 'get', wires: [['fn']] }),
    called('fn', 'function', { func: 'return {;', wires: [['out']] }),
    called('out', 'http response'),
  ]
  const bystanders = [called('all', 'catch', { scope: null, wires: [['log']] }), called('log', 'debug')]
  const none = async (flows: object[]) =>
    (await foreseen(instance, flows)).filter(({ codes }) => codes?.includes('nodes'))
  const stops = { stops: true, codes: ['nodes'] }
  expect(await none([...broken, ...bystanders])).toMatchObject([stops])
  expect(await none([...broken, ...bystanders, called('beat', 'inject', { props: [] })])).toEqual([])
  const sub = { id: 'sub', type: 'subflow', name: 'Sub', in: [], out: [] }
  const inner = { ...called('inner', 'function', { func: 'return msg' }), z: 'sub' }
  const use = [tab, called('beat', 'inject', { props: [], wires: [['use']] }), called('use', 'subflow:sub'), sub]
  expect(await none([...use, inner])).toEqual([])
  expect(await none([...use, { ...inner, d: true }])).toMatchObject([stops])
  expect(await none([...use, { ...inner, func: 'return {;' }])).toMatchObject([stops])
})

test('nodes that get something are told of by nobody', async () => {
  const flows = [
    tab,
    ...['#', '+', '/', 'a/+/b', '+/a/#', '/+'].map((topic, at) => called(`topic-${at}`, 'mqtt in', { topic })),
    called('asked', 'mqtt in', { topic: '', inputs: 1 }),
    called('any', 'udp in', { port: '0' }),
    called('number', 'udp in', { port: 5000 }),
    called('client', 'tcp in', { server: 'client', host: 'oven', port: '' }),
    called('daily', 'inject', { repeat: '', crontab: '00 12 * * *', props: [] }),
    called('pressed', 'inject', { repeat: '', props: [] }),
    { id: 'ws', type: 'websocket-client', path: 'WSS://oven' },
    { id: 'listener', type: 'websocket-listener', path: '' },
  ]
  expect(await foreseen(await running(), flows)).toEqual([])
})

test('a variable without a value is told of each kind of node that would wait for nothing', async () => {
  const instance = await running()
  const flows = [
    tab,
    called('udp', 'udp in', { port: '${UDP_PORT}' }),
    called('path', 'http in', { url: '${HTTP_PATH}' }),
    called('works', 'inject', { props: [] }),
    { id: 'ws', type: 'websocket-client', path: '${WS_ADDRESS}' },
    { id: 'tls', type: 'tls-config', cert: '${CERTIFICATE}', key: '', ca: '' },
    { id: 'broker', type: 'mqtt-broker', broker: '${BROKER}' },
  ]
  const told = (await foreseen(instance, flows)).flatMap(({ kind, sentence }) =>
    kind === 'variable' ? [sentence] : [],
  )
  expect(told).toEqual([
    'The variable UDP_PORT has no value. The udp in node "udp" uses it.',
    'The variable HTTP_PATH has no value. The http in node "path" uses it.',
    'The variable WS_ADDRESS has no value. A websocket-client node uses it.',
    'The variable CERTIFICATE has no value. A tls-config node uses it.',
    'The variable BROKER has no value. An mqtt-broker node uses it.',
  ])
})

test('a variable has the value of the place of its node, and an empty value is none', async () => {
  const instance = await running()
  await raw('PUT', `/${instance.id}`, { settings: { env: [{ name: 'SITE', value: 'north' }] } })
  const env = (...entries: [string, string, string?][]) => ({
    env: entries.map(([name, value, type = 'str']) => ({ name, value, type })),
  })
  const asks = (id: string, name: string, more: object = {}) =>
    called(id, 'mqtt in', { topic: `\${${name}}`, z: 'tab', ...more })
  const flows = [
    { ...tab, ...env(['TAB', 'a'], ['SITE', '']) },
    { id: 'other', type: 'tab', label: 'Other', ...env(['OTHER', 'a'], ['KEY', '', 'cred']) },
    { id: 'all', type: 'global-config', ...env(['ALL', 'a']) },
    { id: 'group', type: 'group', z: 'tab', ...env(['GROUP', 'a']) },
    { id: 'within', type: 'group', z: 'tab', g: 'group' },
    { id: 'sub', type: 'subflow', name: 'Sub', ...env(['OWN', ''], ['GIVEN', ''], ['NAMED', 'TAB', 'env']) },
    called('use', 'subflow:sub', { g: 'within', ...env(['GIVEN', 'a']) }),
    called('bare', 'subflow:sub', env(['OWN', 'a'])),
    asks('here', 'TAB'),
    asks('there', 'TAB', { z: 'other' }),
    asks('key', 'KEY', { z: 'other' }),
    asks('off', 'NOWHERE', { d: true }),
    asks('everywhere', 'ALL'),
    asks('emptied', 'SITE'),
    asks('parent', '$parent.SITE'),
    asks('kept', 'SITE', { z: 'other' }),
    asks('grouped', 'GROUP', { g: 'within' }),
    asks('outside', 'GROUP'),
    ...['OWN', 'GIVEN', 'NAMED', 'OTHER'].map((name) => asks(`in-${name}`, name, { z: 'sub' })),
    asks('of-group', 'GROUP', { z: 'sub' }),
  ]
  expect((await foreseen(instance, flows)).map(({ sentence }) => sentence)).toEqual([
    'The variable TAB has no value. The mqtt in node "there" uses it.',
    'The variable SITE has no value. The mqtt in node "emptied" uses it.',
    'The variable GROUP has no value. 2 nodes use it.',
    'The variable OWN has no value. The mqtt in node "in-OWN" uses it.',
    'The variable GIVEN has no value. The mqtt in node "in-GIVEN" uses it.',
    'The variable OTHER has no value. The mqtt in node "in-OTHER" uses it.',
  ])
})

test('variables without a value and nodes without credentials are told before a push', async () => {
  const [source, target] = [await running(), await running()]
  const env = (...names: [string, string][]) => ({ env: names.map(([name, value]) => ({ name, value })) })
  await raw('PUT', `/${source.id}`, { settings: env(['HOST', 'a'], ['ROOM', 'b'], ['TOKEN', 'c'], ['SITE', 'd']) })
  await raw('PUT', `/${target.id}`, { settings: env(['SITE', 'mine']) })
  await tell(source, 'flows', [
    tab,
    called('broker', 'mqtt-broker', { broker: '${HOST}' }),
    called('ask', 'http request', { authType: 'basic' }),
    called('open', 'http request', { authType: '' }),
    called('pick', 'switch', { property: 'ROOM', propertyType: 'env' }),
    called('code', 'function', { func: 'return env.get("TOKEN") + env.get("SITE")' }),
  ])
  const { id: pipelineId } = await owner.client.call('pipeline.create', {
    params: { applicationId: application.id },
    body: { name: 'Ovens' },
  })
  const add = (name: string, { id: instanceId }: Instance) =>
    owner.client.call('pipeline.addStage', { params: { pipelineId }, body: { name, instanceId } })
  const stage = await add('Dev', source)
  await add('Production', target)
  const changes = await owner.client.call('pipeline.changes', { params: { pipelineId, stageId: stage.id } })
  expect(changes.foreseen.map(({ kind, sentence }) => [kind, sentence])).toEqual([
    ['variable', 'The variable HOST has no value. The mqtt-broker node "broker" uses it.'],
    ['variable', 'The variable ROOM has no value. The switch node "pick" uses it.'],
    ['variable', 'The variable TOKEN has no value. The function node "code" uses it.'],
    ['credentials', '2 nodes have no credentials. If they need some, enter them in the editor.'],
  ])
})

test('a rollback to a snapshot without a module that flows need says so, and installs it on request', async () => {
  const instance = await running()
  const body = { settings: { palette: { modules: [{ name: 'node-red-node-random', version: '0.4.1' }] } } }
  await tell(instance, 'flows', [tab, node('dice', 'random')])
  const { id: snapshot } = await owner.client.call('snapshot.create', {
    params: { instanceId: instance.id },
    body: { name: 'Bare' },
  })
  await raw('PUT', `/${instance.id}`, body)
  const module = { name: 'node-red-node-random', version: '*' }
  expect((await preview(instance, { snapshot })).foreseen).toMatchObject([{ kind: 'type', stops: true, module }])
  script().haveModules({ 'node-red-node-random': '0.4.1' })
  await owner.client.call('deployment.rollback', {
    params: { instanceId: instance.id },
    body: { snapshot, install: [module] },
  })
  await settled(instance.id)
  // In the version that was found.
  expect((await read(instance.id)).settings.palette?.modules).toEqual([{ ...module, version: '0.4.1', local: true }])
})

test('a module that the template forbids is refused, and told of functions', async () => {
  const settings = { modules: { allowInstall: false }, palette: { denyList: ['node-red-node-random'] } }
  const { id: template } = await admin.client.call('template.create', {
    body: { name: 'Strict', settings, policy: {} },
  })
  const { template: _, ...choice } = await server.build.choice()
  const body = { name: 'strict', applicationId: application.id, ...choice, template }
  const instance = await inState((await owner.client.call('instance.create', { body })).id, 'running')
  const flows = [tab, called('mint', 'function', { func: 'return msg', libs: [{ var: 'n', module: 'nanoid' }] })]
  expect(await foreseen(instance, flows)).toMatchObject([
    { kind: 'module', sentence: 'The function "mint" uses the module nanoid, and functions may not use modules here.' },
  ])
  const install = [{ name: 'node-red-node-random', version: '*' }]
  const refused = await raw('POST', `/${instance.id}/import`, { flows: '[]', install })
  expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request'])
})
