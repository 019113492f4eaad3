import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hidePackages } from './module-scan.ts'

test.for(['5.0.7', 'link'])('the packages of a Node-RED at %s are hidden where Node-RED looks for them', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'forge-scan-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const packages = join(folder, '5.0.7/node_modules')
  mkdirSync(join(packages, '@node-red/nodes'), { recursive: true })
  symlinkSync('5.0.7', join(folder, 'link'))
  const shown = hidePackages(join(folder, name))
  const hidden = fs.readdirSync(packages)
  shown()
  expect(hidden).toEqual([])
  expect(readdirSync(packages)).toEqual(['@node-red'])
})
