import { neverComes } from './flows-times.ts'

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
  'tcp in': ['port', 'port'],
  'websocket-client': ['path', 'address'],
  'websocket-listener': ['path', 'path'],
  inject: ['repeat', 'interval'],
}
/** Node-RED leaves the name of a variable without a value as it is; an `http in` puts a slash before it. */
const variableOnly = /^\/?\$\{([^}\s]+)\}$/
/** Node-RED replaces a variable only where it is the whole value. */
const withVariable = /\$\{[^}\s]+\}/
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

/** Does it connect to another, as a `tcp in` may? Then its status tells whether it does. */
const isClient = ({ type, server }: Properties) => type === 'tcp in' && server !== 'server' && server !== true

/** The fault of a property that is no variable. */
function lackOf({ type, method }: Properties, value: unknown, name: string): string | undefined {
  if (withVariable.test(String(value))) return `has a variable within its ${name}, which Node-RED does not replace`
  if (type === 'http in' && isEmpty(value)) return 'has no path'
  if (type === 'http in' && /\s|:\/\//.test(String(value))) return 'has a path that no request can have'
  if (type === 'http in' && !methods.has(method)) return 'has no method that Node-RED answers'
  if (type === 'mqtt in' && isEmpty(value)) return 'has no topic'
  if (type === 'mqtt in' && !isTopic(String(value))) return 'has a topic that is no MQTT topic'
  const listens = type === 'udp in' || type === 'tcp in'
  if (listens && isEmpty(value)) return 'has no port'
  if (listens && !isPort(value)) return 'has a port that is no port number'
  if (type === 'websocket-client' && !webSocketUrl.test(String(value)))
    return 'has an address that begins with neither ws:// nor wss://'
  if (type === 'inject' && !isEmpty(value) && Number.isNaN(Number(value))) return 'has an interval that is no number'
  if (type === 'inject' && Number(value) < 0) return 'has an interval below zero'
  return undefined
}

/**
 * Why a node that Node-RED starts waits for ever; undefined for all others. Node-RED says nothing of most of these, or only
 * warns. Source: the constructors of the nodes of Node-RED 4.1.15 and 5.0.7.
 */
export function waitingOf(node: Properties): Waiting | undefined {
  const { type, inputs, crontab, once } = node
  // Node-RED starts it, so such flows are not said to lack a type.
  if (type === 'unknown') return { has: 'stands in for a node whose type was missing', acts: false, isLogged: false }
  const [property, name] = Object.hasOwn(properties, type) ? properties[type]! : []
  if (type === 'inject' && !isEmpty(crontab)) {
    // An interval goes before a time.
    if (Number(node.repeat) > 0 || typeof crontab !== 'string' || !neverComes(crontab)) return undefined
    return { has: 'has a time that never comes', acts: once === true, isLogged: false }
  }
  // A message tells such a node its topics.
  if (property === undefined || Number(inputs) === 1 || isClient(node)) return undefined
  const value = node[property]
  const [, variable] = typeof value === 'string' ? (variableOnly.exec(value) ?? []) : []
  const has =
    variable === undefined ? lackOf(node, value, name!) : `has the variable ${variable} in the place of its ${name}`
  if (has === undefined) return undefined
  return {
    has,
    ...(variable === undefined ? {} : { unset: { name: name!, variable } }),
    acts: type === 'inject' && once === true,
    isLogged: type === 'mqtt in' && isEmpty(value),
  }
}
