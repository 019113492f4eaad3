/** A node as it stands in the JSON of flows. */
export type FlowNode = { id: string; type: string } & Record<string, unknown>

export type Box = { x: number; y: number; w: number; h: number }
export type DrawnNode = Box & {
  id: string
  label: string
  type: string
  fill: string
  /** Switched off in the editor. */
  off: boolean
  /** A place where wires meet, and nothing else. */
  junction: boolean
  hasInput: boolean
  /** Heights of the output ports from the top of the node. */
  outputs: number[]
}
export type DrawnGroup = Box & { id: string; label: string; fill: string | undefined; stroke: string | undefined }
/** A wire, and what it lies within. */
export type DrawnWire = Box & { id: string; path: string }
export type Drawing = Box & { nodes: DrawnNode[]; groups: DrawnGroup[]; wires: DrawnWire[] }
export type FlowTab = { id: string; label: string; subflow: boolean; off: boolean }

const margin = 30
const grid = 20
const portGap = 13
/** Width of a letter of the labels, on average. */
const letter = 7

/** The colours of Node-RED's own nodes, by what their types begin with; the first match counts. */
const colours: [RegExp, string][] = [
  [/^(inject)$/, '#a6bbcf'],
  [/^(debug)$/, '#87a980'],
  [/^(function)$/, '#fdd0a2'],
  [/^(change|switch|range|join|split|sort|batch)$/, '#e2d96e'],
  [/^(template)$/, '#f3b567'],
  [/^(delay|trigger)$/, '#e6e0f8'],
  [/^(catch|status|complete)$/, '#e49191'],
  [/^(link)/, '#dddddd'],
  [/^(http|websocket)/, '#e7e7ae'],
  [/^(mqtt)/, '#d8bfd8'],
  [/^(tcp|udp)/, '#c0c0c0'],
  [/^(json|csv|xml|yaml|html)$/, '#debd5c'],
  [/^(file|watch|tail)/, '#deb887'],
  [/^(exec)$/, '#e9967a'],
  [/^(subflow:)/, '#ddaa99'],
  [/^(subflow (in|out)put)$/, '#eeeeee'],
  [/^(ui[-_])/, '#a0e6ec'],
]
const otherColour = '#c7d2e0'
const noteColour = '#ffffff'

/** A longer label is cut off, as no picture has room for it. */
const labelMax = 60
/** Further out than this from the middle nothing is drawn; the editor has less. */
const reachMax = 100_000

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown) =>
  typeof value === 'number' && Number.isFinite(value) ? Math.min(reachMax, Math.max(-reachMax, value)) : 0
const shortened = (label: string) => (label.length > labelMax ? `${label.slice(0, labelMax - 1)}…` : label)
const snapped = (size: number) => Math.ceil(size / grid) * grid
const colourOf = (type: string) =>
  type === 'comment' ? noteColour : (colours.find(([pattern]) => pattern.test(type))?.[1] ?? otherColour)

/** The nodes in what is said to be flows, which may be any JSON: those that can be told from each other. */
export function nodesOf(flows: unknown): FlowNode[] {
  const nodes = new Map<string, FlowNode>()
  for (const node of Array.isArray(flows) ? (flows as unknown[]) : [])
    if (isTree(node) && text(node.id) !== undefined && typeof node.type === 'string' && !nodes.has(String(node.id)))
      nodes.set(String(node.id), node as FlowNode)
  return [...nodes.values()]
}

/**
 * The tabs and subflows in their order, and after them what stands on none that is there, as in flows that were copied
 * without their tab. Nodes without a place are not drawn.
 */
export function tabsOf(flows: readonly FlowNode[]): FlowTab[] {
  const named = (node: FlowNode, subflow: boolean): FlowTab => ({
    id: node.id,
    label: text(node.label) ?? text(node.name) ?? (subflow ? 'Subflow' : 'Flow'),
    subflow,
    off: node.disabled === true,
  })
  const found = [
    ...flows.filter(({ type }) => type === 'tab').map((node) => named(node, false)),
    ...flows.filter(({ type }) => type === 'subflow').map((node) => named(node, true)),
  ]
  const known = new Set(found.map(({ id }) => id))
  const places = new Set(flows.filter(isPlaced).map(tabOf))
  const lost = [...places].filter((id) => !known.has(id))
  return [
    ...found,
    ...lost.map((id, at) => ({ id, label: lost.length > 1 ? `Flow ${at + 1}` : 'Flow', subflow: false, off: false })),
  ]
}

const isPlaced = ({ type, x, y }: FlowNode) => typeof x === 'number' && typeof y === 'number' && type !== 'subflow'
/** The tab of a node; nowhere is a place as well. */
const tabOf = ({ z }: FlowNode) => text(z) ?? ''

/** Where everything of one tab or subflow is drawn, by the measures of the editor. */
export function drawingOf(flows: readonly FlowNode[], tabId: string): Drawing {
  const subflows = new Map(flows.filter(({ type }) => type === 'subflow').map((node) => [node.id, node]))
  const inside = [...flows.filter((node) => isPlaced(node) && tabOf(node) === tabId), ...portsOf(subflows.get(tabId))]
  const placed = inside.filter(({ type }) => type !== 'group')
  const reached = new Set([
    ...placed.flatMap((node) => targetsOf(node).flat()),
    ...placed.filter((node) => sourcesOf(node).length > 0).map(({ id }) => id),
  ])
  const nodes = placed.map((node) => drawnNode(node, subflows, reached))
  const groups = inside.filter(({ type, w }) => type === 'group' && typeof w === 'number').map(drawnGroup)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const wires = placed.flatMap((node) => [
    ...sourcesOf(node).flatMap(({ id, port }) => {
      const [from, to] = [byId.get(id), byId.get(node.id)!]
      return from ? [{ id: `${id}:${port}:${node.id}`, ...drawnWire(from, port, to) }] : []
    }),
    ...targetsOf(node).flatMap((targets, port) =>
      targets.flatMap((id) => {
        const [from, to] = [byId.get(node.id)!, byId.get(id)]
        return to ? [{ id: `${node.id}:${port}:${id}`, ...drawnWire(from, port, to) }] : []
      }),
    ),
  ])
  return { nodes, groups, wires, ...boundsOf([...nodes, ...groups]) }
}

/** The inputs and outputs of a subflow, as nodes of its drawing; the wires to an output are its own. */
function portsOf(subflow: FlowNode | undefined): FlowNode[] {
  if (!subflow) return []
  const list = (value: unknown) => (Array.isArray(value) ? (value as unknown[]).filter(isTree) : [])
  const ids = (port: Record<string, unknown>) =>
    list(port.wires).flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const port = (type: string, name: string, at: number, { x, y }: Record<string, unknown>): FlowNode => ({
    id: `${subflow.id}:${type}:${at}`,
    type,
    name,
    x,
    y,
  })
  const ends = [...list(subflow.out), ...(isTree(subflow.status) ? [subflow.status] : [])]
  return [
    ...list(subflow.in).map((one, at) => ({ ...port('subflow input', 'input', at, one), wires: [ids(one)] })),
    ...ends.map((one, at) => ({
      ...port('subflow output', at < list(subflow.out).length ? `output ${at + 1}` : 'status', at, one),
      from: list(one.wires),
    })),
  ].filter(isPlaced)
}
const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Where the wires to an output of a subflow come from. */
function sourcesOf({ type, from }: FlowNode): { id: string; port: number }[] {
  if (type !== 'subflow output') return []
  return (from as Record<string, unknown>[]).flatMap(({ id, port }) =>
    typeof id === 'string' ? [{ id, port: number(port) }] : [],
  )
}

function targetsOf({ wires }: FlowNode): string[][] {
  if (!Array.isArray(wires)) return []
  return wires.map((port: unknown) =>
    Array.isArray(port) ? [...new Set(port.filter((id) => typeof id === 'string'))] : [],
  )
}

function drawnNode(node: FlowNode, subflows: Map<string, FlowNode>, reached: Set<string>): DrawnNode {
  const subflow = subflows.get(node.type.replace('subflow:', ''))
  // The editor breaks lines there; here there is one.
  const label = shortened(
    (text(node.name) ?? text(node.label) ?? text(subflow?.name) ?? node.type).replaceAll('\\n', ' '),
  )
  const count = targetsOf(node).length
  const junction = node.type === 'junction'
  const h = junction ? 10 : Math.max(30, snapped(count * 15))
  // `l: false` draws the icon alone; links do so unless told otherwise.
  const isBare = node.l === false || (/^link (in|out)$/.test(node.type) && node.l !== true)
  const w = junction ? 10 : isBare ? 30 : Math.max(100, snapped(label.length * letter + 50))
  const first = h / 2 - ((count - 1) * portGap) / 2
  return {
    id: node.id,
    type: node.type,
    label: isBare || junction ? '' : label,
    fill: text(subflow?.color) ?? colourOf(node.type),
    off: node.d === true,
    junction,
    hasInput: reached.has(node.id),
    outputs: Array.from({ length: count }, (_, port) => first + port * portGap),
    x: number(node.x) - w / 2,
    y: number(node.y) - h / 2,
    w,
    h,
  }
}

function drawnGroup(node: FlowNode): DrawnGroup {
  const style = (typeof node.style === 'object' && node.style !== null ? node.style : {}) as Record<string, unknown>
  const colour = (value: unknown) =>
    text(value) && /^#[0-9a-f]{3,8}$/i.test(String(value)) ? String(value) : undefined
  return {
    id: node.id,
    label: shortened(text(node.name) ?? ''),
    fill: colour(style.fill),
    stroke: colour(style.stroke),
    x: number(node.x),
    y: number(node.y),
    w: number(node.w),
    h: number(node.h),
  }
}

/** A curve from an output to an input; to what stands further left it swings out, as in the editor. */
function drawnWire(from: DrawnNode, port: number, to: DrawnNode): Omit<DrawnWire, 'id'> {
  const [x1, y1] = [from.x + from.w, from.y + (from.outputs[port] ?? from.h / 2)]
  const [x2, y2] = [to.x, to.y + to.h / 2]
  const reach = x2 > x1 ? Math.min(75, Math.max(30, (x2 - x1) * 0.5)) : 75 + Math.min(120, Math.abs(y2 - y1) / 4)
  const [left, top] = [Math.min(x1, x2 - reach), Math.min(y1, y2)]
  return {
    path: `M${x1} ${y1} C${x1 + reach} ${y1} ${x2 - reach} ${y2} ${x2} ${y2}`,
    x: left,
    y: top,
    w: Math.max(x1 + reach, x2) - left,
    h: Math.max(y1, y2) - top,
  }
}

/** The part of a drawing that lies within a box or reaches into it. */
export function within(drawing: Drawing, box: Box): Drawing {
  const isIn = ({ x, y, w, h }: Box) => x < box.x + box.w && x + w > box.x && y < box.y + box.h && y + h >= box.y
  const { nodes, groups, wires } = drawing
  return { ...drawing, nodes: nodes.filter(isIn), groups: groups.filter(isIn), wires: wires.filter(isIn) }
}

function boundsOf(boxes: readonly Box[]): Box {
  if (boxes.length === 0) return { x: 0, y: 0, w: 200, h: 100 }
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y, w, h } of boxes) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + w)
    bottom = Math.max(bottom, y + h)
  }
  return { x: left - margin, y: top - margin, w: right - left + 2 * margin, h: bottom - top + 2 * margin }
}
