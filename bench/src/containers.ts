import { containersFor, docker, ensureImage } from '@app/drivers/testing/docker'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const { socket, image, network } = containersFor('')
const everyMs = 5
const waitMs = 60_000

/** Settings of a server whose instances run in containers; undefined where no engine answers. */
export function containerSettings(): Record<string, string> | undefined {
  if (spawnSync('docker', ['info'], { stdio: 'ignore' }).status !== 0) return undefined
  ensureImage()
  return {
    FORGE_DRIVERS: 'docker,local',
    FORGE_DOCKER_SOCKET: socket,
    FORGE_DOCKER_IMAGE: image,
    FORGE_DOCKER_NETWORK: network,
  }
}

/**
 * Seconds from `docker run` of Node-RED as it comes to its first 200: the same version, image and Node.js, and a user
 * directory of its own. The network of the platform must be there.
 */
export async function plainRun(stack: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'forge-plain-'))
  const red = [stack, join(stack, 'node_modules/node-red')].find((one) => existsSync(join(one, 'red.js')))!
  const mounts = [realpathSync(stack), process.execPath].flatMap((one) => ['--volume', `${one}:${one}:ro`])
  const began = performance.now()
  const options = ['--detach', '--network', network, '--init', '--volume', `${folder}:/data`, ...mounts]
  const node = process.execPath
  const entry = join(realpathSync(red), 'red.js')
  const id = docker('run', ...options, '--entrypoint', node, image, entry, '--userDir', '/data').trim()
  try {
    const format = `{{(index .NetworkSettings.Networks "${network}").IPAddress}}`
    const address = docker('inspect', '--format', format, id)
    for (const end = performance.now() + waitMs; performance.now() < end; await sleep(everyMs))
      if (await answers(`http://${address.trim()}:1880/`)) return (performance.now() - began) / 1000
    throw new Error(`Node-RED did not answer: ${docker('logs', id)}`)
  } finally {
    docker('rm', '--force', id)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The folder of the newest Node-RED that was installed for the tests. */
export function newestStack(home: string): string {
  const folder = join(home, 'stacks')
  const newest = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .toSorted((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0]
  if (newest === undefined) throw new Error(`There is no Node-RED in ${folder}`)
  return join(folder, newest)
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (reply) => {
      reply.resume()
      resolve(reply.statusCode === 200)
    }).on('error', () => resolve(false))
  })
}
