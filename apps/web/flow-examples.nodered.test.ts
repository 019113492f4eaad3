import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drawingOf, type FlowNode, tabsOf } from './src/ui/flow/flow-drawing.ts'

test('every example that comes with Node-RED is drawn whole', () => {
  const stacks = process.env.FORGE_TEST_STACKS!
  const files = globSync('*/node_modules/@node-red/nodes/examples/**/*.json', { cwd: stacks })
  expect(files.length).toBeGreaterThan(100)
  for (const file of files) {
    const flows = JSON.parse(readFileSync(join(stacks, file), 'utf8')) as FlowNode[]
    const drawings = tabsOf(flows).map(({ id }) => drawingOf(flows, id))
    const placed = flows.filter(({ x, type }) => typeof x === 'number' && type !== 'group' && type !== 'subflow')
    const drawn = drawings.flatMap(({ nodes }) => nodes).filter(({ type }) => !/^subflow (in|out)put$/.test(type))
    expect([file, drawn.length]).toEqual([file, placed.length])
    const ids = new Set(placed.map(({ id }) => id))
    const wires = placed
      .flatMap((node) => (node.wires as string[][] | undefined) ?? [])
      .flat()
      .filter((id) => ids.has(id))
    expect([file, drawings.flatMap((one) => one.wires).length]).toEqual([file, wires.length])
    const numbers = drawings.flatMap(({ x, y, w, h, nodes }) => [x, y, w, h, ...nodes.flatMap((n) => [n.x, n.y, n.w])])
    expect([file, numbers.every(Number.isFinite)]).toEqual([file, true])
  }
})
