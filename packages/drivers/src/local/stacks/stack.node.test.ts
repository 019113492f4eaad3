import { expect, onTestFinished, test } from 'vitest'
import type { Progress } from '../../driver.ts'
import { openLocal, runs, versions } from '../../testing/local.harness.ts'

const nodejs = '22.23.3'

test('a stack runs on the Node.js it names, which is fetched once and checked', { timeout: 180_000 }, async () => {
  const local = await openLocal()
  onTestFinished(() => local.close())
  const { driver, spec } = local
  const stack = { nodered: versions[0], memory: 256, nodejs }
  const said: Progress[] = []
  await driver.installStack(stack, (progress) => said.push(progress))
  expect(await driver.hasStack(stack)).toBe(true)
  expect(await driver.hasStack({ ...stack, nodejs: '22.18.0' })).toBe(false)
  const one = { ...spec(versions[0]), stack }
  await driver.start(one)
  await runs(driver, one.id)
  expect((await driver.status(one.id)).versions).toMatchObject({ 'node-red': versions[0], node: nodejs })
  // Beside it the same Node-RED runs on the platform's own.
  expect(await driver.hasStack({ nodered: versions[0], memory: 256 })).toBe(true)
})
