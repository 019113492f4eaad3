import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { jsonColumn, objectColumn, oftenReadJson } from './json.ts'

const read = jsonColumn(
  'ovens.settings',
  z.object({ heat: z.number(), doors: z.array(z.object({ name: z.string() })) }),
)

test('a value of the shape of its column is read', () => {
  expect(read('{"heat":180,"doors":[{"name":"left"}]}', 'a1')).toEqual({ heat: 180, doors: [{ name: 'left' }] })
})

test.each([
  ['{"heat":', 'it is not JSON'],
  [
    '{"heat":180,"doors":[{"name":"left"},{"name":"sesame"},{"code":"sesame"}]}',
    'doors.2.name does not have the shape',
  ],
  ['"sesame"', 'the value does not have the shape'],
])('%s is refused with its column, row and path, and without its value', (text, why) => {
  expect(() => read(text, 'a1')).toThrow(`ovens.settings of a1 cannot be read: ${why}`)
  expect(() => read(text, 'a1')).not.toThrow('sesame')
})

test('a column of objects keeps all their fields, and refuses what is no object', () => {
  const readObject = objectColumn('ovens.notes')
  expect(readObject('{"heat":180,"doors":[]}', 'a1')).toEqual({ heat: 180, doors: [] })
  for (const text of ['["sesame"]', '"sesame"', 'null']) {
    expect(() => readObject(text, 'a1')).toThrow('ovens.notes of a1 cannot be read: the value does not have the shape')
    expect(() => readObject(text, 'a1')).not.toThrow('sesame')
  }
  expect(() => readObject('{"heat":', 'a1')).toThrow('ovens.notes of a1 cannot be read: it is not JSON')
})

test('a column that is read often is judged all the same, and keeps what its schema does not name', () => {
  const often = oftenReadJson('ovens.settings', z.object({ heat: z.number() }))
  const text = '{"heat":180,"doors":["left"]}'
  const first = often(text, 'a1') as { doors?: unknown }
  expect(first).toEqual({ heat: 180, doors: ['left'] })
  delete first.doors
  expect(often(text, 'a1')).toEqual({ heat: 180, doors: ['left'] })
  for (let heat = 0; heat < 1_100; heat += 1) often(`{"heat":${heat}}`, 'a1')
  for (let again = 0; again < 2; again += 1)
    expect(() => often('{"heat":"hot"}', 'a2')).toThrow('ovens.settings of a2 cannot be read: heat')
})
