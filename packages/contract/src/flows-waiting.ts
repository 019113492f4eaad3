/** A node as flows have it, or as it runs. */
interface Properties {
  type: string
  [property: string]: unknown
}

/** A node of Node-RED's own that waits for ever. */
export interface Waiting {
  /** Why, after the name of the node: `has no path`. */
  has: string
  /** The variable that is in the place of a value, and the name of that value in a sentence. */
  unset?: { name: string; variable: string }
  /** Does it do something besides? An inject may send once. */
  acts: boolean
  /** Does Node-RED log an error of it? */
  isLogged: boolean
}

/** The property that lets messages come to a node, and its name in a sentence. */
const properties: Record<string, readonly [property: string, name: string]> = {
  'http in': ['url', 'path'],
  'mqtt in': ['topic', 'topic'],
  'udp in': ['port', 'port'],
  'websocket-client': ['path', 'address'],
  'websocket-listener': ['path', 'path'],
  inject: ['repeat', 'interval'],
}
/** Node-RED leaves the name of a variable without a value as it is; an `http in` puts a slash before it. */
const variableOnly = /^\/?\$\{([^}\s]+)\}$/
/** Others have no route. */
const methods = new Set<unknown>(['get', 'post', 'put', 'patch', 'delete'])
/** Another address is taken for the path of a listener. */
const webSocketUrl = /^wss?:\/\//i

const isEmpty = (value: unknown) => value === undefined || value === null || value === ''

function isPort(value: unknown): boolean {
  const port = Number(value)
  return Number.isInteger(port) && port >= 0 && port <= 65_535
}

/** Is it a filter of MQTT? `+` is a whole level, and `#` the last one. */
const isTopic = (text: string) =>
  text
    .split('/')
    .every((level, at, levels) => level === '+' || (level === '#' && at === levels.length - 1) || !/[+#]/.test(level))

/** The fault of a property that is no variable. */
function lackOf({ type, method }: Properties, value: unknown): string | undefined {
  if (type === 'http in' && isEmpty(value)) return 'has no path'
  if (type === 'http in' && !methods.has(method)) return 'has no method that Node-RED answers'
  if (type === 'mqtt in' && isEmpty(value)) return 'has no topic'
  if (type === 'mqtt in' && !isTopic(String(value))) return 'has a topic that is no MQTT topic'
  if (type === 'udp in' && isEmpty(value)) return 'has no port'
  if (type === 'udp in' && !isPort(value)) return 'has a port that is no port number'
  if (type === 'websocket-client' && !webSocketUrl.test(String(value)))
    return 'has an address that begins with neither ws:// nor wss://'
  if (type === 'inject' && !isEmpty(value) && Number.isNaN(Number(value))) return 'has an interval that is no number'
  return undefined
}

/**
 * Why a node that Node-RED starts waits for ever; undefined for all others. Node-RED says nothing of most of these, or only
 * warns. Source: the constructors of the nodes of Node-RED 4.1.15 and 5.0.7.
 */
export function waitingOf(node: Properties): Waiting | undefined {
  const { type, inputs, crontab, once } = node
  const [property, name] = Object.hasOwn(properties, type) ? properties[type]! : []
  // A message tells such a node its topics, and an inject may go by the time of day.
  if (property === undefined || Number(inputs) === 1 || !isEmpty(crontab)) return undefined
  const value = node[property]
  const [, variable] = typeof value === 'string' ? (variableOnly.exec(value) ?? []) : []
  const has = variable === undefined ? lackOf(node, value) : `has the variable ${variable} in the place of its ${name}`
  if (has === undefined) return undefined
  return {
    has,
    ...(variable === undefined ? {} : { unset: { name: name!, variable } }),
    acts: type === 'inject' && once === true,
    isLogged: type === 'mqtt in' && isEmpty(value),
  }
}
