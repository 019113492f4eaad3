import { expect, test } from 'vitest'
import { type Editable, editorObstacle } from './editor-obstacle.ts'
import { instancePath } from './locations.ts'

const runs: Editable = { meta: { state: 'running', isDeploying: false }, settings: { disableEditor: false } }
const here = { visiting: false, changing: false }

test('[APP-04] [HA-02] the editor opens only where the instance runs, its editor is not disabled and it is one process', () => {
  expect(editorObstacle(runs, here)).toBeUndefined()
  expect(editorObstacle({ ...runs, meta: { state: 'stopped', isDeploying: false } }, here)).toContain('is running')
  expect(editorObstacle({ ...runs, settings: { disableEditor: true } }, here)).toContain('is disabled')
  expect(editorObstacle({ ...runs, ha: { replicas: 2 } }, here)).toContain('High Availability')
  expect(editorObstacle(runs, { ...here, visiting: true })).toContain('as an admin')
  expect(editorObstacle(runs, { ...here, changing: true })).toContain('is running')
})

test('[APP-17] a list leads to the overview of an instance, and of one with two processes to its High Availability', () => {
  expect(instancePath({ id: 'a1' })).toBe('/instance/a1/overview')
  expect(instancePath({ id: 'a1', ha: { replicas: 2 } })).toBe('/instance/a1/settings/ha')
})
