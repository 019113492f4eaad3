import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { checkFewNodes } from './function.modules.ts'

type Check = (flows: object[]) => Promise<void>
type Lacking = { module: { module: string }; error: { code: string } }[]

const stacks = process.env.FORGE_TEST_STACKS!
const folders = readdirSync(stacks).filter((name) => /^\d/.test(name))
const uses = (id: string, libs: unknown, more: object = {}) => ({ id, type: 'function', libs, ...more })

describe.each(folders)('the look of Node-RED %s for missing modules', (version) => {
  const require = createRequire(join(stacks, version, 'node_modules/node-red/package.json'))
  const registry = require('@node-red/registry') as { checkFlowDependencies: Check }
  const modules = require('@node-red/registry/lib/externalModules.js') as {
    init(settings: object): void
    register(type: string, property: string): void
    registerSubflow(type: string, subflow: object): void
  }
  const [original, before] = [registry.checkFlowDependencies, { ...modules }]
  const userDir = mkdtempSync(join(tmpdir(), 'modules-'))

  beforeAll(() => {
    writeFileSync(join(userDir, 'package.json'), JSON.stringify({ dependencies: { oven: '1.0.0' } }))
    modules.init({ userDir, externalModules: { modules: { allowInstall: false } } })
    checkFewNodes(join(stacks, version))
    modules.register('function', 'libs')
    modules.register('single', 'module')
    modules.registerSubflow('bakery', { flow: [uses('inner', [{ module: 'flour' }])] })
  })
  afterAll(() => {
    Object.assign(modules, before)
    registry.checkFlowDependencies = original
    rmSync(userDir, { recursive: true })
  })

  const lackingBy = async (check: Check, flows: object[]) =>
    check(flows).then(
      () => [],
      (errors: Lacking) => errors.map(({ module, error }) => `${module.module}: ${error.code}`),
    )
  const lacking = (flows: object[]) => lackingBy((all) => registry.checkFlowDependencies(all), flows)

  test('finds what nodes and subflows of packages lack, as without us', async () => {
    const flows = [
      { id: 'tab', type: 'tab', label: 'Oven' },
      { id: 'other', type: 'constructor', libs: [{ module: 'sugar' }] },
      uses('has', [{ module: 'oven' }, { module: 'fs' }]),
      uses('lacks', [{ module: 'rye@3' }, { module: '' }, { module: 'rye' }]),
      uses('off', [{ module: 'salt' }], { d: true }),
      uses('none', []),
      uses('nothing', undefined),
      { id: 'one', type: 'single', module: 'yeast' },
      { id: 'sub', type: 'bakery' },
    ]
    const found = await lacking(flows)
    expect(found).toEqual(['rye', 'yeast', 'flour'].map((name) => `${name}: install_not_allowed`))
    expect(found).toEqual(await lackingBy(original, flows))
  })

  test('takes no node from a list that names no module', async () => {
    const shift = vi.spyOn(Array.prototype, 'shift')
    onTestFinished(() => shift.mockRestore())
    await lacking([uses('none', []), { id: 'a', type: 'change' }, uses('has', [{ module: 'oven' }])])
    const taken = shift.mock.results.map(({ value }) => (value as { id?: string } | undefined)?.id)
    expect(taken.filter((id) => id !== undefined)).toEqual(['has'])
  })
})
