import { beforeAll, beforeEach, expect, test } from 'vitest'
import { bringFlows, openWorkshop, sees, shot, until, type Visitor } from './harness/index.ts'

let visitor: Visitor

const code = (limit: number) =>
  [
    '// Opens the damper when the oven is too hot',
    `const limit = ${limit} // degrees`,
    'const now = msg.payload.temperature',
    ...Array.from({ length: 30 }, (_, at) => `flow.set('slot${at}', now + ${at})`),
    'if (now > limit) return [msg, null]',
    'return [null, msg]',
  ].join('\n')

/** A line of 258 nodes in two flows, with a subflow whose instance has variables. */
function line(version: 'before' | 'after'): object[] {
  const is = version === 'after'
  const [dx, dy] = is ? [20, 20] : [0, 0]
  const place = (x: number, y: number, z = 'oven') => ({ z, x: x + dx, y: y + dy })
  const judge = { type: 'function', outputs: 2, timeout: 0, noerr: 0, initialize: '', finalize: '', libs: [] }
  const variables = (site: string, limit: string) => [
    { name: 'SITE', type: 'str', value: site },
    { name: 'LIMIT', type: is ? 'str' : 'num', value: limit },
    { name: 'KEY', type: 'cred' },
    ...(is ? [{ name: 'SHIFT', type: 'str', value: 'night' }] : []),
  ]
  return [
    { id: 'sign', type: 'subflow', name: 'Sign', in: [], out: [], env: [{ name: 'KEY', type: 'cred' }] },
    { id: 'oven', type: 'tab', label: 'Oven line', disabled: false, info: '', env: [] },
    { id: 'yard', type: 'tab', label: 'Yard', disabled: false, info: '', env: [] },
    {
      ...judge,
      id: 'judge',
      name: 'Too hot?',
      ...place(300, 80),
      wires: is ? [['log', 'lamp'], []] : [['log'], []],
      func: code(is ? 250 : 230),
    },
    { id: 'log', type: 'debug', name: is ? 'Log book' : 'Log', active: true, ...place(520, 60), wires: [] },
    { id: 'lamp', type: 'debug', name: 'Lamp', active: true, ...place(520, 120), wires: [] },
    {
      id: 'rules',
      type: 'change',
      name: 'Label',
      ...place(300, 160),
      rules: [
        { t: 'set', p: 'topic', pt: 'msg', to: 'oven', tot: 'str' },
        { t: 'set', p: 'unit', pt: 'msg', to: is ? 'K' : 'C', tot: 'str' },
      ],
      wires: [['lamp']],
    },
    {
      id: 'signed',
      type: 'subflow:sign',
      name: 'Sign it',
      ...place(300, 240),
      env: is ? variables('mill', '250') : variables('bakery', '230'),
      wires: [],
    },
    ...(is
      ? [{ id: 'fresh', type: 'debug', name: 'Fresh', active: true, ...place(520, 240), wires: [] }]
      : [{ id: 'stale', type: 'debug', name: 'Stale', active: true, ...place(520, 300), wires: [] }]),
    ...Array.from({ length: 249 }, (_, at) => ({
      id: `yard${at}`,
      type: 'comment',
      name: `Gate ${at}`,
      info: '',
      ...place(120 + (at % 6) * 180, 60 + Math.floor(at / 6) * 60, 'yard'),
      wires: [],
    })),
  ]
}
const counts = '250 moved, 4 changed, 1 added, 1 removed'

const { platform, visitors, owner, instance } = await openWorkshop('oven-line')
beforeAll(async () => {
  await bringFlows(owner.client, instance.id, line('before'), { signed: { KEY: 'rye-42' } })
  await until(
    async () => versions(),
    ({ length }) => length > 0,
  )
  await bringFlows(owner.client, instance.id, line('after'), { signed: { KEY: 'wheat-43' } })
})
beforeEach(async () => {
  visitor = await visitors.open(platform(), owner)
})

const versions = async () => (await owner.client.call('version.list', { params: { instanceId: instance.id } })).versions

test('A version shows what it changed: moved apart from changed, code by line, variables as a table', async () => {
  const { page } = visitor
  await page.goto(`/instance/${instance.id}/versions`)
  await sees(page.getByRole('link', { name: counts }))
  await shot(page, 'versions-counts')
  await page.getByRole('link', { name: counts }).click()
  await sees(page.getByRole('heading', { name: 'Nodes' }), page.getByText(counts))
  const nodes = page.locator('summary')
  // The 250 that only moved are not shown until somebody asks.
  expect(await nodes.count()).toBe(4)
  await sees(page.getByText('Fresh', { exact: true }).last(), page.getByText('Stale', { exact: true }).last())
  expect(await page.getByText('Gate 1', { exact: true }).count()).toBe(0)
  await shot(page, 'version-difference')

  const judge = nodes.filter({ hasText: 'Too hot?' })
  await sees(judge.getByText('Changed', { exact: true }), judge.getByText('Moved', { exact: true }))
  await judge.click()
  expect(await judge.innerText()).toMatch(/(On Message, Wires|Wires, On Message)$/)
  await sees(page.getByText('On Message', { exact: true }))
  await sees(page.getByText('Output 1 → Log book, Lamp'))
  const text = page.getByRole('group', { name: 'func of Too hot?, before and after' })
  await sees(text.getByText('const limit = 230 // degrees'), text.getByText('const limit = 250 // degrees'))
  await text.getByRole('button', { name: /unchanged lines/ }).click()
  await sees(text.getByText("flow.set('slot7', now + 7)"))

  // From one node to the next by the arrow keys.
  await judge.focus()
  await page.keyboard.press('End')
  await page.locator('summary:focus', { hasText: 'Sign it' }).waitFor()
  await page.keyboard.press('Enter')
  const table = page.getByRole('group', { name: 'Variables of Sign it, before and after' })
  const rowOf = (name: string) => table.getByRole('row').filter({ hasText: name })
  expect(await rowOf('SITE').innerText()).toMatch(/SITE\s+string\s+bakery\s+mill/)
  expect(await rowOf('LIMIT').innerText()).toMatch(/LIMIT\s+number → string\s+230\s+250/)
  expect(await rowOf('KEY').innerText()).toMatch(/KEY\s+credential\s+Secret\s+Secret, differs/)
  expect(await rowOf('SHIFT').innerText()).toMatch(/SHIFT\s+Added\s+string\s+–\s+night/)
  expect(await page.content()).not.toMatch(/rye-42|wheat-43/)
  await page.keyboard.press('ArrowUp')
  await page.locator('summary:focus', { hasText: 'Label' }).waitFor()
  await page.keyboard.press('Enter')
  await sees(page.getByText('{ "t": "set", "p": "unit", "pt": "msg", "to": "K", "tot": "str" }'))
  await table.scrollIntoViewIfNeeded()
  await shot(page, 'version-difference-open')
})

test('Differences are searched, narrowed to a flow, drawn before and after, and sent to others by their address', async () => {
  const { page } = visitor
  const [after, before] = await versions()
  await page.goto(`/instance/${instance.id}/versions/${after!.id}?from=${before!.id}`)
  await page.getByRole('checkbox', { name: 'Show 250 moved' }).click()
  await sees(page.getByText('and 156 more nodes'))
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await sees(page.getByText('and 56 more nodes'))
  const search = page.getByRole('searchbox', { name: 'Search nodes and code' })
  await search.fill('gate 17')
  await sees(page.getByText('Gate 170', { exact: true }).last())
  await shot(page, 'version-difference-search')
  await search.fill('slot7')
  await expect.poll(() => page.locator('summary').count()).toBe(1)
  await sees(page.locator('summary').filter({ hasText: 'Too hot?' }))
  await search.fill('')
  await page.getByRole('combobox', { name: 'Flow' }).last().click()
  await page.getByRole('option', { name: 'Oven line (7)' }).click()
  await expect.poll(() => page.getByText('Gate 1', { exact: true }).last().isVisible()).toBe(false)
  const drawing = page.getByRole('radiogroup', { name: 'Drawing' })
  await sees(page.getByRole('img', { name: 'Oven line: 7 nodes' }))
  await drawing.getByRole('radio', { name: 'Before' }).click()
  await sees(page.getByRole('img', { name: 'Oven line: 6 nodes' }))
  await shot(page, 'version-difference-before')
  await page.getByRole('combobox', { name: 'Compared with' }).click()
  await page.getByRole('option', { name: 'Current flows' }).click()
  await page.waitForURL('**?from=now')
  await sees(page.getByText('Nothing is different.'))
})
