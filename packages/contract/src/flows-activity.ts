/** The activity of known types of nodes. */
export type Activity =
  /** Does nothing unless a message arrives, and keeps nothing between messages. */
  | 'passive'
  /** Does nothing unless a message arrives, and keeps something until then. */
  | 'keeps'
  /** Acts by itself: by the clock, or by connections and listeners that Node.js makes. */
  | 'acts'
  /** Has something that only one process can have, which nothing here can hold back. */
  | 'exclusive'

const types: Record<Activity, readonly string[]> = {
  passive: [
    'tab',
    'group',
    'subflow',
    'comment',
    'junction',
    'global-config',
    'tls-config',
    'http proxy',
    'http in',
    'http response',
    'http request',
    'template',
    'range',
    'json',
    'xml',
    'csv',
    'html',
    'yaml',
    'file',
    'file in',
    'link in',
    'link out',
    'link call',
    'debug',
    'catch',
    'complete',
    'status',
  ],
  keeps: [
    'change',
    'switch',
    'split',
    'join',
    'sort',
    'batch',
    'rbe',
    'delay',
    'trigger',
    'exec',
    'function',
    'websocket-listener',
  ],
  acts: [
    'inject',
    'mqtt in',
    'mqtt out',
    'mqtt-broker',
    'tcp in',
    'tcp out',
    'tcp request',
    'udp in',
    'udp out',
    'websocket in',
    'websocket out',
    'websocket-client',
    'project link in',
    'project link out',
    'project link call',
    'watch',
  ],
  exclusive: ['serial in', 'serial out', 'serial request', 'serial control', 'serial-port', 'daemon'],
}

const activities = new Map(
  (Object.keys(types) as Activity[]).flatMap((activity) => types[activity].map((type) => [type, activity] as const)),
)
/** Nodes of the two dashboards: their pages are served by HTTP, and they act for the person who looks at them. */
const dashboard = /^ui[-_]/

/** The activity of a type of node; undefined for an unknown type. */
export function activityOf(type: string): Activity | undefined {
  if (type.startsWith('subflow:')) return 'passive'
  return activities.get(type) ?? (dashboard.test(type) ? 'keeps' : undefined)
}
