import { freePort, password, startServer } from '@app/server/testing'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endBroker } from '../processes.ts'
import { runServer, type Server, signIn } from '../server.ts'
import { startBalancer } from './balancer.ts'

/** Several servers on one database behind one balancer, and a person with a team. `close` ends all but the database. */
export async function openServers(databaseUrl: string, count: number) {
  const homes = Array.from({ length: count }, () => mkdtempSync(join(tmpdir(), 'forge-bench-')))
  const [first, ...others] = homes as [string, ...string[]]
  const prepared = await startServer({ config: { home: first, databaseUrl } })
  const { owner, team } = await prepared.build.platform()
  await prepared.stop()
  for (const home of others) cpSync(join(first, 'keys'), join(home, 'keys'), { recursive: true })

  const port = await freePort()
  const address = `http://localhost:${port}`
  const ports: number[] = []
  for (let one = 0; one < count; one += 1) ports.push(await freePort())
  const start = (at: number): Promise<Server> =>
    runServer(homes[at]!, 'tools/start.ts', {
      FORGE_PORT: String(ports[at]),
      FORGE_BASE_URL: address,
      FORGE_DATABASE_URL: databaseUrl,
      FORGE_WARM_PROCESSES: '0',
    })
  const servers: Server[] = []
  // One after the other: the first one has the instances.
  for (let at = 0; at < count; at += 1) servers.push(await start(at))
  const balancer = await startBalancer(port, ports)
  const cookie = await signIn(`http://127.0.0.1:${ports[0]}`, { username: owner.username, password })
  return {
    address,
    port,
    cookie,
    team,
    said: balancer.said,
    /** Asks one server by itself, past the balancer. */
    isReady: async (at: number): Promise<boolean> =>
      fetch(`http://127.0.0.1:${ports[at]}/readyz`, { headers: { connection: 'close' } }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    /** Ends a server by itself or by force, and starts it again. Resolves when it answers. */
    async restart(at: number, how: 'stop' | 'kill'): Promise<void> {
      await servers[at]![how]()
      servers[at] = await start(at)
    },
    async close(): Promise<void> {
      await balancer.stop()
      for (const server of servers) await server.stop()
      for (const home of homes) {
        await endBroker(home)
        rmSync(home, { recursive: true, force: true })
      }
    },
  }
}
