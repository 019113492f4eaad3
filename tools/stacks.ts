import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '../.cache/stacks')
const versions = ['4.1.15', '5.0.7']

/**
 * Installs the Node-RED versions that the tests use into .cache/stacks/<version>/node_modules, once.
 * @throws Error with what npm said.
 */
export async function ensureStacks(): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const version of versions) if (!existsSync(join(folder, version))) await install(version)
}

/** Complete or not there at all: the folder gets its name when npm has finished. */
async function install(version: string): Promise<void> {
  const work = mkdtempSync(join(folder, 'new-'))
  try {
    writeFileSync(join(work, 'package.json'), '{"private":true}\n')
    const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error']
    // npm hands its own settings to what it starts; this folder is not part of that workspace.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')))
    await promisify(execFile)('npm', ['install', `node-red@${version}`, ...flags], { cwd: work, env })
    if (!existsSync(join(folder, version))) renameSync(work, join(folder, version))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  await ensureStacks()
  console.log(`Node-RED ${versions.join(' and ')}`)
}
