import type { TestProject } from 'vitest/node'
import { mkdirSync, rmSync } from 'node:fs'
import { ensureImage, inContainers } from './containers.ts'
import { homesOf, removeHome } from './homes.ts'
import { screenshots } from './shot.ts'

export function setup({ config }: TestProject): void {
  // A later part of the files leaves the pictures of those before it.
  if ((config.shard?.index ?? 1) === 1) rmSync(screenshots, { recursive: true, force: true })
  mkdirSync(homesOf(process.pid), { recursive: true })
  if (inContainers) ensureImage()
}

/** Also after a journey that failed half-way, so that no instance is left running on the machine. */
export function teardown(): void {
  removeHome(homesOf(process.pid))
}
