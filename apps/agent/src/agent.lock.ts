import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { AgentError } from './agent.errors.ts'

/**
 * Keeps a second agent out of a folder, for as long as this process lives. Linux forgets the name with the process, so a
 * kill leaves nothing behind.
 * @throws AgentError already_running.
 */
export async function lock(dir: string): Promise<void> {
  const name = createHash('sha256').update(realpathSync(dir)).digest('hex').slice(0, 32)
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new AgentError(
          'already_running',
          `Another agent runs with ${dir}. Stop it first: systemctl stop flowforge-agent`,
          {
            cause,
          },
        ),
      ),
    )
    server.listen(`\0flowforge-agent-${name}`, resolve)
  })
  server.unref()
}
