import { expect, test } from 'vitest'
import { memoryState, versionState } from './nodered-state.ts'

const lists = { allowList: null, denyList: null, catalogues: null }
const signIns = { httpAuth: null, editorAuth: null }
const plain = { ...lists, ...signIns, memory: null, version: null, memoryLimit: null, warning: null }

test.each([
  [512, { set: 512, next: 512, inForce: 512 }, 'In force: Node-RED runs with 512 MB.'],
  [512, { set: 512, next: 512, inForce: 256 }, 'Node-RED runs with 256 MB. Restart it to use 512 MB.'],
  [null, { set: null, next: 256, inForce: 512 }, 'Node-RED runs with 512 MB. Restart it to use 256 MB.'],
  [512, { set: null, next: 256, inForce: 256 }, 'Saved. The device learns of it at its next check-in.'],
  [null, { set: null, next: 300, inForce: null }, 'Node-RED starts with 300 MB.'],
  [512, null, undefined],
])('a memory limit of %j that is reported as %j', (memory, memoryLimit, sentence) => {
  expect(memoryState({ ...plain, memory, memoryLimit }, false)).toBe(sentence)
})

test.each([
  [{ set: null, next: 256, inForce: 256 }, 'The device is offline. Node-RED ran with 256 MB.'],
  [{ set: null, next: 256, inForce: 512 }, 'The device is offline. Node-RED ran with 512 MB, and starts with 256 MB.'],
  [{ set: null, next: 256, inForce: null }, 'Node-RED starts with 256 MB.'],
])(
  'a device that is offline is not said to run with a memory limit that is reported as %j',
  (memoryLimit, sentence) => {
    expect(memoryState({ ...plain, memoryLimit }, true)).toBe(sentence)
  },
)

const device = {
  nodeRed: { ...plain, version: '4.1.15' },
  nodeRedVersion: '5.0.7',
  refused: null,
  targetSnapshot: { id: 's', name: 'Good', description: '' },
  mode: 'autonomous' as const,
  status: 'running',
}
const refused = { snapshot: 's', code: 'unknown_version', message: 'There is none.', final: true }

test.each([
  [{ nodeRed: plain }, undefined],
  [{ nodeRed: null }, undefined],
  [{}, 'Node-RED 5.0.7 runs until 4.1.15 is installed.'],
  [{ nodeRedVersion: '4.1.15' }, 'In force: Node-RED 4.1.15 runs.'],
  [{ targetSnapshot: null }, 'Installed with the first target snapshot.'],
  [{ status: 'offline' }, 'The device is offline. It had Node-RED 5.0.7.'],
  [{ mode: 'developer' as const }, 'Waits until developer mode is disabled.'],
  [{ refused }, 'Not taken: There is none.'],
  [{ refused: { ...refused, snapshot: 'another' } }, 'Node-RED 5.0.7 runs until 4.1.15 is installed.'],
])('a version of Node-RED on a device with %j', (more, sentence) => {
  expect(versionState({ ...device, ...more })).toBe(sentence)
})
