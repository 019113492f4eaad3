import { expect, test } from 'vitest'
import { packageOf } from './package-file.ts'

test('[SNAP-17] the package of a snapshot has the name of the instance, a version of its own and the modules', () => {
  const times = { createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-02T03:04:05.000Z' }
  const modules = { 'node-red': '5.0.7', 'node-red-node-random': '*' }
  const text = packageOf(
    { id: '01hz', name: 'Good', description: '', deviceCount: 0, modules, ...times },
    { safeName: 'oven-line' },
  )
  expect(JSON.parse(text)).toEqual({
    name: 'oven-line',
    version: '0.0.0-01hz',
    private: true,
    dependencies: modules,
  })
})
