import type { BrokerSpec } from '@app/contract/comms-link'
import { text } from 'node:stream/consumers'
import { createBroker } from './broker.ts'
import { createControl } from './control.ts'
import { createTcp, createWebSockets, listenAt } from './listen.ts'

/** Without a server and without clients it ends: nobody would. */
const aloneMs = 10 * 60_000
const lookEveryMs = 30_000

// Its sockets are for the server alone.
process.umask(0o077)

const spec = JSON.parse(await text(process.stdin)) as BrokerSpec
const { build, controlSocket, webSocket, local, tcp } = spec

function end(): void {
  broker.close()
  // Packets that were just written still go out.
  setTimeout(() => process.exit(0), 200)
}

const control = createControl({
  spec,
  state: () => ({ pid: process.pid, clients: broker.clients(), build }),
  recheck: (usernames) => broker.recheck(usernames),
  drop: (usernames) => broker.drop(usernames),
  end,
})
const broker = createBroker(control.authority)

try {
  await listenAt(createTcp(broker.accept), local)
  if (tcp) await listenAt(createTcp(broker.accept), tcp)
  await listenAt(createWebSockets(broker.accept), { path: webSocket })
  // Last: who reaches it finds a broker that listens.
  await listenAt(control.listener, { path: controlSocket })
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

let aloneSince: number | undefined
setInterval(() => {
  const isAlone = !control.isConnected() && broker.clients() === 0
  aloneSince = isAlone ? (aloneSince ?? Date.now()) : undefined
  if (aloneSince !== undefined && Date.now() - aloneSince > aloneMs) end()
}, lookEveryMs)

// A server that ends takes nothing with it.
process.on('SIGHUP', () => {})
process.on('SIGTERM', end)
