import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { glob, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Services } from '../../../platform/features/services.ts'
import { isAgentBuilt, packAgent } from './agent.pack.ts'

const root = fileURLToPath(new URL('../../../../../..', import.meta.url)).replace(/\/$/, '')

export type AgentPackage = ReturnType<typeof createAgentPackage>

/** The package of the agent that this platform gives its devices. It is made of the platform's own files when it is first asked for. */
export function createAgentPackage({ config, version }: Pick<Services, 'config' | 'version'>) {
  const folder = join(config.home, 'agent')
  let making: Promise<{ path: string; size: number; sha256: string }> | undefined

  async function make() {
    const path = join(folder, `flowforge-agent-${version}-${await fingerprint(version)}.tgz`)
    if (!existsSync(path)) {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await packAgent({ root, version, file: path })
    }
    const hash = createHash('sha256')
    for await (const part of createReadStream(path)) hash.update(part as Buffer)
    return { path, size: (await stat(path)).size, sha256: hash.digest('hex') }
  }

  return {
    /** Undefined in a clone that is not built. */
    async file() {
      if (!isAgentBuilt(root)) return undefined
      if (making && !existsSync((await making).path)) making = undefined
      making ??= make().catch((error: unknown) => {
        making = undefined
        throw error
      })
      return making
    },
    /** The text of the Dockerfile, before its package is filled in. */
    dockerfile: async () => readFile(join(root, 'apps/agent/Dockerfile'), 'utf8'),
    /** The text of the installer, before its first lines are filled in. */
    installer: async () => readFile(join(root, 'apps/agent/files/install.sh'), 'utf8'),
  }
}

/** Hash of the programs in the package; the rest of it changes with them or with the version. */
async function fingerprint(version: string): Promise<string> {
  const hash = createHash('sha256').update(version)
  const found = await Array.fromAsync(
    glob(['apps/{agent,instance-runtime}/dist/**/*.js', 'apps/agent/files/*.sh', 'NOTICE'], { cwd: root }),
  )
  for (const path of found.sort()) hash.update(`${path}\0`).update(await readFile(join(root, path)))
  return hash.digest('hex').slice(0, 12)
}
