import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const machine = { home: '/srv/forge', runtimeEntry: '/srv/forge/runtime/main.js' }

test('pods are refused where no cluster is named; other drivers need none', () => {
  expect(() => readConfig({ ...machine, drivers: ['kubernetes', 'local'] })).toThrow(/pods need a cluster/)
  expect(readConfig({ ...machine, drivers: ['docker', 'swarm', 'local'] }).drivers).toEqual([
    'docker',
    'swarm',
    'local',
  ])
})
