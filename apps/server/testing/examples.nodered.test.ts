import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { examplesIn, tryExamples } from './examples.try.ts'
import { stacksDir } from './homes.ts'
import { openRealPlatform } from './real.platform.ts'

/* One folder of each version. `npm run examples` tries all examples of Node-RED, and those of popular modules. */
test.each([
  ['4.1.15', 'sequence'],
  ['5.0.7', 'common'],
])('the example flows of Node-RED %s in %s run after an import', async (version, folder) => {
  const platform = await openRealPlatform({ steadySeconds: 1 })
  onTestFinished(() => platform.close())
  const place = join(stacksDir, version, 'node_modules/@node-red/nodes/examples', folder)
  const examples = await examplesIn(place)
  expect(examples.length).toBe(
    (await readdir(place, { recursive: true })).filter((name) => name.endsWith('.json')).length,
  )
  const { outcomes } = await tryExamples(platform, version, examples)
  expect(outcomes.filter(({ ended }) => ended !== 'runs')).toEqual([])
})
