import { accessSync, constants, statfsSync } from 'node:fs'
import { createServer } from 'node:net'
import { type DeviceFile, isRegistered, readConfig } from './agent.config.ts'
import { AgentError, explained } from './agent.errors.ts'
import { createSend } from './link/http.client.ts'
import { createPlatformLink } from './link/platform.link.ts'

/** Node-RED with a few modules. */
const leastBytes = 500 * 1024 * 1024
const usualPort = 1880

/** Checks what the agent needs, one line each. Returns the exit code: 0 when nothing is wrong. */
export async function check({ dir, file }: { dir: string; file: string }): Promise<number> {
  let wrong = 0
  async function look(what: string, test: () => string | Promise<string>): Promise<void> {
    try {
      process.stdout.write(`ok    ${what}: ${await test()}\n`)
    } catch (error) {
      wrong += 1
      const { code, message } = explained(error)
      process.stdout.write(`WRONG ${what}: ${message} (${code})\n`)
    }
  }
  let config: ReturnType<typeof readConfig> | undefined
  await look('File of the device', () => {
    config = readConfig(file)
    return isRegistered(config) ? `device ${config.deviceId}` : 'a provisioning token'
  })
  await look('Folder', () => {
    accessSync(dir, constants.W_OK)
    const { bavail, bsize } = statfsSync(dir)
    const free = Math.round((bavail * bsize) / 1024 / 1024)
    if (bavail * bsize < leastBytes) throw new AgentError('disk_full', `${dir} has ${free} MB free. Free 500 MB.`)
    return `${dir}, ${free} MB free`
  })
  await look('Port', async () => {
    const port = config?.port ?? usualPort
    return (await isFree(port)) ? `${port} is free` : `${port} is in use, by the agent if it runs`
  })
  const device = config && isRegistered(config) ? config : undefined
  if (device) await look('Platform', async () => known(device))
  return wrong === 0 ? 0 : 1
}

async function known(config: DeviceFile): Promise<string> {
  await createPlatformLink(createSend(config), config).settings()
  return `${config.forgeURL} knows this device`
}

function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, () => server.close(() => resolve(true)))
  })
}
