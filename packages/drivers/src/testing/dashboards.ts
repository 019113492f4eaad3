/** Both dashboards, with versions that their authors publish for all supported Node-RED versions. */
export const dashboardModules = { 'node-red-dashboard': '3.6.6', '@flowfuse/node-red-dashboard': '1.31.0' }

const sized = { z: '', order: 1, width: '6' }
const classicBase = [
  { id: 'c1', type: 'ui_tab', name: 'Ovens', icon: 'dashboard' },
  { ...sized, id: 'c2', type: 'ui_group', name: 'First', tab: 'c1' },
]
const secondBase = [
  { id: 'd1', type: 'ui-base', name: 'Bakery', path: '/dashboard', includeClientData: true, acceptsClientConfig: [] },
  { id: 'd2', type: 'ui-theme', name: 'Plain', colors: {}, sizes: {} },
  { id: 'd3', type: 'ui-page', name: 'Ovens', ui: 'd1', path: '/ovens', icon: 'home', layout: 'grid', theme: 'd2' },
  { ...sized, id: 'd4', type: 'ui-group', name: 'First', page: 'd3', height: '1' },
]

/** Both with a text and a button. `GET /pressed` tells which buttons were pressed, and how often. */
export const dashboardFlow = () => [
  { id: 'tab', type: 'tab', label: 'Flow' },
  ...classicBase,
  ...secondBase,
  {
    ...sized,
    id: 'c3',
    z: 'tab',
    type: 'ui_text',
    group: 'c2',
    label: 'Heat',
    format: '{{msg.payload}}',
    layout: 'row',
  },
  {
    ...sized,
    id: 'c4',
    z: 'tab',
    type: 'ui_button',
    group: 'c2',
    label: 'Bake',
    payload: 'classic',
    payloadType: 'str',
    topic: '',
    topicType: 'str',
    wires: [['count']],
  },
  { ...sized, id: 'd5', z: 'tab', type: 'ui-text', group: 'd4', name: 'Heat', label: 'Heat', wires: [] },
  {
    ...sized,
    id: 'd6',
    z: 'tab',
    type: 'ui-button',
    group: 'd4',
    name: 'Bake',
    label: 'Bake',
    payload: 'second',
    payloadType: 'str',
    topic: '',
    topicType: 'str',
    wires: [['count']],
  },
  {
    id: 'count',
    z: 'tab',
    type: 'function',
    func: 'const all = flow.get("all") ?? {}; flow.set("all", { ...all, [msg.payload]: (all[msg.payload] ?? 0) + 1 })',
    outputs: 0,
    wires: [],
  },
  { id: 'in', z: 'tab', type: 'http in', url: '/pressed', method: 'get', wires: [['all']] },
  {
    id: 'all',
    z: 'tab',
    type: 'function',
    func: 'return { ...msg, payload: flow.get("all") ?? {} }',
    outputs: 1,
    wires: [['out']],
  },
  { id: 'out', z: 'tab', type: 'http response', wires: [] },
]

/** Where each dashboard speaks socket.io, what it says to a new browser, and the event of its button. */
export const dashboards = [
  {
    name: 'classic',
    path: '/ui/socket.io/',
    greeting: 'ui-controls',
    press: ['update-value', { id: 'c4', value: 'classic' }],
  },
  {
    name: 'second',
    path: '/dashboard/socket.io/',
    greeting: 'ui-config',
    press: ['widget-action', 'd6', { payload: 'second' }],
  },
] as const
