import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Package {
  version: string
  cpu?: string[]
  os?: string[]
  hasInstallScript?: true
}

const lock = readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')
const packages = Object.entries((JSON.parse(lock) as { packages: Record<string, Package> }).packages)
const forLinux = (cpu: string) =>
  packages.flatMap(([path, { version, cpu: cpus, os }]) =>
    cpus?.includes(cpu) && os?.includes('linux') ? [`${path.replace(cpu, 'CPU')}@${version}`] : [],
  )

test('whatever is made for x64 Linux is there for arm64 too, Node.js among it, and nothing is compiled here', () => {
  const here = forLinux('x64')
  expect(here).toContainEqual(expect.stringContaining('node_modules/node-linux-CPU@24.'))
  expect(here.filter((one) => !forLinux('arm64').includes(one))).toEqual([])
  expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
})
