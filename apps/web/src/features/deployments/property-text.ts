import type { PropertyChange } from '@app/contract'

/** Names of nodes by their ids. */
export type NodeNames = Readonly<Record<string, string>>

/** The names that the editor has for properties of Node-RED's own nodes. */
const titles: Record<string, string> = {
  func: 'On Message',
  initialize: 'On Start',
  finalize: 'On Stop',
  template: 'Template',
  format: 'Template',
  info: 'Description',
  wires: 'Wires',
  name: 'Name',
  label: 'Name',
  z: 'Flow',
  g: 'Group',
  d: 'Disabled',
  disabled: 'Disabled',
  env: 'Environment variables',
  credentials: 'Credentials',
  libs: 'Modules',
  rules: 'Rules',
  outputs: 'Outputs',
  links: 'Links',
  nodes: 'Nodes',
}
/** The name of a property for people; undefined where only its key is known. */
export const titleOf = (key: string): string | undefined => (Object.hasOwn(titles, key) ? titles[key] : undefined)

/** The kind of a node for people: the name of its type, or of the subflow that it is an instance of. */
export function kindOf(type: string, names: NodeNames): string {
  const subflow = type.startsWith('subflow:') ? nameOf(type.slice('subflow:'.length), names) : undefined
  return subflow === undefined ? type : `subflow ${subflow}`
}

/** Objects longer than this take a line for each of their parts. */
const width = 88
/** Larger texts are shown as they are. */
const largest = 500_000

/**
 * A property before and after, for people: wires and lists of nodes by the names of the nodes, JSON with one short object
 * a line. Where nothing would differ any more, as of two nodes of one name, the texts are those of the flows.
 */
export function propertyTexts(
  { key, old, new: next }: PropertyChange,
  names: NodeNames,
): { old: string | undefined; new: string | undefined } {
  const told = { old: readable(key, old, names), new: readable(key, next, names) }
  return told.old === told.new ? { old, new: next } : told
}

function readable(key: string, text: string | undefined, names: NodeNames): string | undefined {
  if (text === undefined || text.length > largest) return text
  const value = parsed(text)
  if (value === undefined) return nameOf(text, names) ?? text
  if (key === 'wires' && isWires(value)) return wiresText(value, names)
  if (Array.isArray(value) && value.length > 0 && value.every((id) => nameOf(id, names) !== undefined))
    return value.map((id) => nameOf(id, names)).join('\n')
  return jsonText(value)
}

const nameOf = (id: unknown, names: NodeNames) =>
  typeof id === 'string' && Object.hasOwn(names, id) ? names[id] : undefined

/** An object or a list; undefined for everything else. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isWires = (value: unknown): value is string[][] =>
  Array.isArray(value) && value.every((port) => Array.isArray(port) && port.every((id) => typeof id === 'string'))

const wiresText = (wires: string[][], names: NodeNames): string =>
  wires
    .map((ids, at) => `Output ${at + 1} → ${ids.map((id) => nameOf(id, names) ?? id).join(', ') || 'nothing'}`)
    .join('\n')

/** JSON in as few lines as are easy to read. */
function jsonText(value: unknown, indent = ''): string {
  const short = oneLine(value)
  if (indent.length + short.length <= width && !(indent === '' && isTree(value))) return short
  if (!isTree(value)) return short
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((part) => jsonText(part, inner))
    : Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${jsonText(part, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return parts.length === 0 ? short : `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (!isTree(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${oneLine(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
