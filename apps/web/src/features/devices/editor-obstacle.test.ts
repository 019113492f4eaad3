import { expect, test } from 'vitest'
import { editorObstacle } from './editor-obstacle.ts'

const device = {
  mode: 'developer',
  status: 'running',
  hasDeveloperMode: true,
  editor: { enabled: true, connected: true, url: 'http://0-x.example.com/' },
} as const
const member = { isOffered: true, isVisiting: false, mayEdit: true }

test('[DMODE-03] the editor of a device is available while every condition holds, and none without saying why', () => {
  expect(editorObstacle(device, member)).toBeUndefined()
  expect(editorObstacle({ ...device, status: 'safe' }, member)).toBeUndefined()
  const { url: _, ...closed } = device.editor
  const broken = [
    editorObstacle(device, { ...member, isOffered: false }),
    editorObstacle(device, { ...member, isVisiting: true }),
    editorObstacle(device, { ...member, mayEdit: false }),
    editorObstacle({ ...device, hasDeveloperMode: false }, member),
    editorObstacle({ ...device, mode: 'autonomous' }, member),
    editorObstacle({ ...device, status: 'stopped' }, member),
    editorObstacle({ ...device, editor: { enabled: false, connected: false } }, member),
    editorObstacle({ ...device, editor: closed }, member),
  ]
  expect(broken.every((reason) => typeof reason === 'string')).toBe(true)
  expect(new Set(broken).size).toBe(broken.length)
})
