import { freePort } from '../../../tools/test/free-port.ts'
import { clientWith } from './outside.ts'
import type { Client } from '@app/client'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { image, inContainers, removeContainers } from './containers.ts'
import { removeHome } from './homes.ts'
import { createPeople, type People } from './people.ts'
import { type ServerProcess, startServerProcess } from './server.process.ts'

export const admin = { username: 'alice', email: 'alice@example.com', password: 'correct horse battery' }

export interface Platform {
  /** As people type it, without a slash at the end. */
  url: string
  port: number
  home: string
  server: ServerProcess
  /** Adds accounts and memberships that no screen can make yet. */
  people: People
  /** Host and port under which an instance of this name answers. */
  hostOf(instance: string): string
  /** Calls the platform with this session cookie. */
  client(cookie: string): Client
  /** Starts the server again on the same home and port; it must have ended. */
  start(): Promise<void>
}

/**
 * A platform of its own for one journey file. With `claimed`, its administrator exists from the start, as with the
 * three FORGE_ADMIN settings; otherwise its server prints the one-time link.
 */
export function usePlatform(options: PlatformOptions): () => Platform {
  let platform: Platform | undefined
  beforeAll(async () => {
    platform = await createPlatform(options)
  })
  afterAll(async () => platform && end(platform))
  return () => {
    if (!platform) throw new Error('The platform was not started')
    return platform
  }
}

/** The same, started at once for a file that asks for it on its first lines. */
export async function openPlatform(options: PlatformOptions): Promise<Platform> {
  const platform = await createPlatform(options)
  afterAll(() => end(platform))
  return platform
}

async function end({ server, home }: Platform): Promise<void> {
  await server.end('SIGTERM')
  if (inContainers) removeContainers(home)
  removeHome(home)
}

interface PlatformOptions {
  claimed: boolean
  /** More settings for the server, asked for when it is started. */
  settings?: () => Record<string, string>
}

async function createPlatform({ claimed, settings: more }: PlatformOptions): Promise<Platform> {
  const homes = setting('FORGE_TEST_HOMES')
  mkdirSync(homes, { recursive: true })
  const home = mkdtempSync(join(homes, 'h-'))
  seedStacks(home)
  const port = await freePort()
  const settings = {
    FORGE_HOME: home,
    FORGE_PORT: String(port),
    FORGE_LOG_LEVEL: 'warn',
    // Most journeys start few instances or none: processes that wait for starts would take longer than they save.
    FORGE_WARM_PROCESSES: '0',
    ...(inContainers && { FORGE_DRIVERS: 'docker', FORGE_DOCKER_IMAGE: image, FORGE_DOCKER_NETWORK: 'flowforge-test' }),
    ...(claimed && {
      FORGE_ADMIN_USERNAME: admin.username,
      FORGE_ADMIN_EMAIL: admin.email,
      FORGE_ADMIN_PASSWORD: admin.password,
    }),
    ...more?.(),
  }
  const url = `http://localhost:${port}`
  const platform: Platform = {
    url,
    port,
    home,
    server: await startServerProcess(settings),
    people: createPeople(home, `http://127.0.0.1:${port}`),
    hostOf: (instance) => `${instance.toLowerCase()}.localhost:${port}`,
    client: (cookie) => clientWith(`http://127.0.0.1:${port}`, cookie),
    async start() {
      platform.server = await startServerProcess(settings)
    },
  }
  // Owners who are not the administrator make the teams of the journeys.
  if (claimed) platform.people.set('team:create', true)
  return platform
}

/** The same folders the driver would install into, so that no journey fetches Node-RED again. */
function seedStacks(home: string): void {
  const cache = setting('FORGE_TEST_STACKS')
  if (!existsSync(cache)) throw new Error(`There are no Node-RED versions in ${cache}`)
  mkdirSync(join(home, 'stacks'))
  for (const version of readdirSync(cache)) symlinkSync(join(cache, version), join(home, 'stacks', version))
}

function setting(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the journeys with npm run e2e`)
  return value
}
