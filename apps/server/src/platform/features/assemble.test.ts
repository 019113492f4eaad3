import { expect, test } from 'vitest'
import { assemble } from './assemble.ts'
import { also } from './services.ts'
import type { AnyFeature } from './feature.ts'

type Bag = Record<string, never>
const feature = (name: string, rest: object) => ({ name, ...rest }) as AnyFeature
const together = (...features: AnyFeature[]) =>
  assemble(features, { jobs: (_: unknown, declared: unknown) => ({ declared }), sweeper: () => 'sweeper' } as never)

test('services start after those they need and stop before them, whatever the order of the list', async () => {
  const told: string[] = []
  const run = (name: string) => () => ({
    start: () => void told.push(`+${name}`),
    stop: () => void told.push(`-${name}`),
  })
  const lamp = feature('lamp', { provides: { lamp: ({ power }: Bag) => ({ power }) }, runs: { lamp: run('lamp') } })
  const power = feature('power', { provides: { power: () => ({}) }, runs: { power: run('power') } })
  const assembled = together(lamp, power)
  await assembled.start(true)
  await assembled.stop()
  expect(told).toEqual(['+power', '+lamp', '-lamp', '-power'])
})

test('a service that needs itself, and one that two provide, are refused by name', () => {
  const egg = feature('egg', { provides: { egg: ({ hen }: Bag) => ({ hen }) } })
  const hen = feature('hen', { provides: { hen: ({ egg }: Bag) => ({ egg }) } })
  expect(() => together(egg, hen)).toThrow('egg needs hen needs egg')
  expect(() => together(hen, feature('other', { provides: { hen: () => ({}) } }))).toThrow('Two features provide hen')
})

test('services are never spread, since that would make all of them; further arguments come first', () => {
  const bad = feature('bad', { provides: { bad: (services: Bag) => ({ ...services }) } })
  expect(() => together(bad)).toThrow('Services are not spread')
  const named = also(also({ name: 'service', kept: 1 }, { name: 'argument' }), { more: 2 })
  expect([named.name, named.kept, named.more]).toEqual(['argument', 1, 2])
})

test('jobs are those that features declare, also of services that are made after the runner; one kind of two is refused', () => {
  const light = { kind: 'lamp.light' }
  const bake = { kind: 'oven.bake' }
  const clean = { kind: 'oven.clean' }
  const lamp = feature('lamp', { provides: { lamp: () => light }, jobs: ({ lamp: made }: Bag) => [made] })
  const oven = feature('oven', { jobs: () => [bake, clean] })
  expect(together(lamp, feature('fuse', {}), oven).services.jobs).toEqual({
    declared: new Map([
      ['lamp.light', light],
      ['oven.bake', bake],
      ['oven.clean', clean],
    ]),
  })
  const copy = feature('copy', { jobs: () => [{ kind: 'oven.bake' }] })
  expect(() => together(lamp, oven, copy)).toThrow('Two features declare the job oven.bake')
})

test('every feature that listens hears an announcement, one after the other', async () => {
  const told: unknown[] = []
  const listener = (name: string) =>
    feature(name, { hooks: { announced: () => async (what: string) => void told.push([name, what]) } })
  const assembled = together(listener('first'), feature('deaf', {}), listener('second'))
  await assembled.services.hooks.run('announced' as never, ...(['fire'] as never))
  expect(told).toEqual([
    ['first', 'fire'],
    ['second', 'fire'],
  ])
})

test('health checks and figures are those that features declare; figures that cannot be found out are left out', async () => {
  const lamp = feature('lamp', { health: () => [{ part: 'Lamp' }], figures: async () => ['lit'] })
  const fuse = feature('fuse', { figures: () => Promise.reject(new Error('blown')) })
  const oven = feature('oven', { health: () => [{ part: 'Oven' }], figures: async () => ['hot'] })
  const { watch } = together(lamp, fuse, oven).services
  expect(watch.checks().map(({ part }) => part)).toEqual(['Lamp', 'Oven'])
  expect(await watch.figures()).toEqual(['lit', 'hot'])
})
