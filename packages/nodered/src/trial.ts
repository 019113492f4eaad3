import type { LaunchSpec, Training } from '@app/contract/instance-link'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openContext } from './context/context.database.ts'
import { watchFlows } from './flows.report.ts'
import { createListening } from './listening.ts'
import { openLog } from './logs.ts'
import { startNodeRed } from './process.ts'
import { recordLoading } from './training.ts'

/** The addresses of a first visit to an editor; Node-RED loads some of its modules only then. */
const visited = ['/', '/auth/login', '/flows', '/auth/strategy']

/**
 * Starts Node-RED once with no flows and nobody's data, visits it and stops it again. `folder` is for its files and
 * must be empty.
 * @throws Error when it does not start.
 */
export async function tryStack(nodeRedPath: string, folder: string): Promise<Training> {
  const recorded = recordLoading(nodeRedPath)
  const platform = createServer((call, response) => {
    const answer = call.url?.startsWith('/api/') ? settings : call.url?.endsWith('/flows') ? [] : {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve))
  const platformUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`
  const log = openLog(join(folder, 'logs'), 'trial')
  const http = join(folder, 'http.sock')
  const launch: LaunchSpec = {
    src: '0000',
    ...nobody,
    nodeRedPath,
    platformUrl,
    userDir: folder,
    logDir: join(folder, 'logs'),
    answersAt: { http, control: join(folder, 'control.sock') },
  }
  const nodeRed = await startNodeRed({
    launch,
    listening: createListening(launch),
    log,
    context: openContext({ userDir: folder }),
    version: '0.0.0',
    flows: watchFlows(() => {}),
    onStatus: () => {},
  })
  for (const path of visited) await visit(http, path)
  await nodeRed.stop()
  platform.closeAllConnections()
  platform.close()
  return recorded()
}

const nobody = {
  id: 'trial',
  name: 'trial',
  teamId: 'trial',
  instanceUrl: 'http://trial.invalid',
  token: 'none',
  client: { id: 'none', secret: 'none' },
  credentialSecret: 'none',
  controlToken: 'none',
}

const settings = {
  env: {},
  baseURL: nobody.instanceUrl,
  forgeURL: nobody.instanceUrl,
  fileStore: null,
  teamID: nobody.teamId,
  storageURL: '',
  auditURL: '',
  state: 'running',
  stack: {},
  settings: {},
  features: {},
}

function visit(socketPath: string, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path, agent: false }, (response) => response.resume().on('end', resolve))
      .on('error', reject)
      .end()
  })
}
