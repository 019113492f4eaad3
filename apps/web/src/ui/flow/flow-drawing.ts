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
  hasInput: boolean
  /** Heights of the output ports from the top of the node. */
  outputs: number[]
}
export type DrawnGroup = Box & { id: string; label: string; fill: string | undefined; stroke: string | undefined }
export type Drawing = Box & { nodes: DrawnNode[]; groups: DrawnGroup[]; wires: { id: string; path: string }[] }
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
  [/^(ui[-_])/, '#a0e6ec'],
]
const otherColour = '#c7d2e0'
const noteColour = '#ffffff'

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
const snapped = (size: number) => Math.ceil(size / grid) * grid
const colourOf = (type: string) =>
  type === 'comment' ? noteColour : (colours.find(([pattern]) => pattern.test(type))?.[1] ?? otherColour)

/** The tabs and subflows in their order; nodes that stand in neither are not drawn. */
export function tabsOf(flows: readonly FlowNode[]): FlowTab[] {
  const named = (node: FlowNode, subflow: boolean): FlowTab => ({
    id: node.id,
    label: text(node.label) ?? text(node.name) ?? (subflow ? 'Subflow' : 'Flow'),
    subflow,
    off: node.disabled === true,
  })
  return [
    ...flows.filter(({ type }) => type === 'tab').map((node) => named(node, false)),
    ...flows.filter(({ type }) => type === 'subflow').map((node) => named(node, true)),
  ]
}

/** Where everything of one tab or subflow is drawn, by the measures of the editor. */
export function drawingOf(flows: readonly FlowNode[], tabId: string): Drawing {
  const subflows = new Map(flows.filter(({ type }) => type === 'subflow').map((node) => [node.id, node]))
  const inside = flows.filter(({ z }) => z === tabId)
  const placed = inside.filter(({ type, x, y }) => type !== 'group' && typeof x === 'number' && typeof y === 'number')
  const reached = new Set(placed.flatMap((node) => targetsOf(node).flat()))
  const nodes = placed.map((node) => drawnNode(node, subflows, reached))
  const groups = inside.filter(({ type, w }) => type === 'group' && typeof w === 'number').map(drawnGroup)
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const wires = placed.flatMap((node) =>
    targetsOf(node).flatMap((targets, port) =>
      targets.flatMap((id) => {
        const [from, to] = [byId.get(node.id)!, byId.get(id)]
        return to ? [{ id: `${node.id}:${port}:${id}`, path: wirePath(from, port, to) }] : []
      }),
    ),
  )
  return { nodes, groups, wires, ...boundsOf([...nodes, ...groups]) }
}

function targetsOf({ wires }: FlowNode): string[][] {
  if (!Array.isArray(wires)) return []
  return wires.map((port: unknown) => (Array.isArray(port) ? port.filter((id) => typeof id === 'string') : []))
}

function drawnNode(node: FlowNode, subflows: Map<string, FlowNode>, reached: Set<string>): DrawnNode {
  const subflow = subflows.get(node.type.replace('subflow:', ''))
  const label = text(node.name) ?? text(node.label) ?? text(subflow?.name) ?? node.type
  const count = targetsOf(node).length
  const h = Math.max(30, snapped(count * 15))
  // `l: false` draws the icon alone.
  const w = node.l === false ? 30 : Math.max(100, snapped(label.length * letter + 50))
  const first = h / 2 - ((count - 1) * portGap) / 2
  return {
    id: node.id,
    type: node.type,
    label: node.l === false ? '' : label,
    fill: text(subflow?.color) ?? colourOf(node.type),
    off: node.d === true,
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
    label: text(node.name) ?? '',
    fill: colour(style.fill),
    stroke: colour(style.stroke),
    x: number(node.x),
    y: number(node.y),
    w: number(node.w),
    h: number(node.h),
  }
}

/** A curve from an output to an input; to what stands further left it swings out, as in the editor. */
function wirePath(from: DrawnNode, port: number, to: DrawnNode): string {
  const [x1, y1] = [from.x + from.w, from.y + (from.outputs[port] ?? from.h / 2)]
  const [x2, y2] = [to.x, to.y + to.h / 2]
  const reach = x2 > x1 ? Math.min(75, Math.max(30, (x2 - x1) * 0.5)) : 75 + Math.min(120, Math.abs(y2 - y1) / 4)
  return `M${x1} ${y1} C${x1 + reach} ${y1} ${x2 - reach} ${y2} ${x2} ${y2}`
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
