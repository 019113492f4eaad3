import { envNameFault } from '@app/contract/env-names'
import type { LaunchSpec, RuntimeStatus } from '@app/contract/instance-link'
import type { RuntimeSettings } from '@app/contract/runtime'
import { writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { logMessage } from './capture.ts'
import type { PersistentContext } from './context/context.database.ts'
import { contextStore } from './context/context.store.ts'
import type { FlowsWatch } from './flows.report.ts'
import { createHttp, mount } from './http.ts'
import type { Listening } from './listening.ts'
import type { LogWriter } from './logs.ts'
import { hidePackages } from './module-scan.ts'
import { answerNpmCheck } from './npm-check.ts'
import { createPlatformClient } from './platform.client.ts'
import { createAuditReporter } from './plugins/audit.plugin.ts'
import { nameAuthors } from './plugins/authors.plugin.ts'
import { deviceAuth } from './plugins/device.auth.ts'
import { createAuth } from './plugins/auth.plugin.ts'
import { createLiveAccess } from './plugins/flow-access.live.ts'
import { watchPresence } from './plugins/presence.plugin.ts'
import { createEditorSessions } from './plugins/sessions.ts'
import { createStorage } from './plugins/storage.plugin.ts'
import { serveInstance } from './plugins/instance.plugin.ts'
import { watchRefused } from './refused.ts'
import { refuseEndless } from './refused.start.ts'
import { checkFewNodes, loadWithoutVersions } from './function.modules.ts'
import { keepLinkSubscriptions } from './link-nodes/link.clients.ts'
import { linkNodes } from './link-nodes/link.nodes.ts'
import { adminRootOf, nodeRedSettings, type PlatformSettings } from './settings.ts'
import { loadStack, type NodeRed, type NodeRedMessage } from './stack.ts'
import { teamLibraryOf } from './team-library/team-library.ts'
import { createTakeover, type Takeover } from './takeover/takeover.ts'
import { forgetIfRead } from './training.ts'

export { captureStreams } from './capture.ts'
export { openContext, type PersistentContext } from './context/context.database.ts'
export { type FlowsWatch, watchFlows } from './flows.report.ts'
export { createListening } from './listening.ts'
export { type LogWriter, openLog } from './logs.ts'
export type { Takeover } from './takeover/takeover.ts'
export { loadAhead } from './training.ts'

export interface NodeRedOptions {
  launch: LaunchSpec
  listening: Listening
  log: LogWriter
  context: PersistentContext
  /** The version of the runtime around Node-RED, shown as the launcher's. */
  version: string
  flows: FlowsWatch
  onStatus(status: RuntimeStatus): void
}

export interface RunningNodeRed {
  /** Ends the editor sessions that hold this token, be it Node-RED's or the platform's. */
  logout(token: string): Promise<void>
  /** Reads the protection of the addresses of flows again and enforces it; what was let in before is cut off. */
  protect(): Promise<void>
  /** Takeover by this version of the flows from another, and by another from this one. */
  takeover: Takeover
  /** Does HTTP answer? */
  healthy(): Promise<boolean>
  /** Stops the flows and the HTTP server. Node-RED cannot be started a second time in one process. */
  stop(): Promise<void>
}

const auditLevel = 98
/** Flows that neither start nor fail (a node that waits for ever) must not keep the editor away. */
const settleMs = 10_000
const drainMs = 1_000

/**
 * Runs Node-RED: loads its settings from the platform, starts it, and resolves when it answers HTTP.
 * @throws Refusal when the platform refuses the instance; Error when Node-RED does not load or start.
 */
export async function startNodeRed({
  launch,
  listening,
  log,
  context,
  version,
  flows,
  onStatus,
}: NodeRedOptions): Promise<RunningNodeRed> {
  onStatus({ state: 'loading' })
  const platform = createPlatformClient(launch.platformUrl, launch.token)
  // As agreed: no schema is checked in an instance, since zod would take 10 MB in each.
  const read = () =>
    platform.call(`/api/v1/projects/${encodeURIComponent(launch.id)}/settings`) as Promise<RuntimeSettings>
  const answer = await read()
  const settings = answer.settings as PlatformSettings
  const unset = setEnvironment(answer.env, settings.timeZone)
  for (const name of unset) log.write('warn', `The variable ${name} is not set: this name is not allowed`)
  // The palette manager's npm follows the same rule as the platform's.
  if (settings.palette?.installScripts !== true) process.env.npm_config_ignore_scripts = 'true'
  if (answer.contextMb !== undefined) context.setLimit(answer.contextMb)
  forgetIfRead(Object.keys(answer.env))
  prepareUserDir(launch.userDir)

  const { nodeRed, express, sessions, comparePassword } = loadStack(launch.nodeRedPath)
  const versions = { 'node-red': nodeRed.version(), launcher: version, node: process.versions.node }
  onStatus({ state: 'starting', versions })

  const editorSessions = createEditorSessions(sessions)
  const { adminAuth, revoke, tokenOf } = createAuth({
    launch,
    forgeUrl: answer.forgeURL,
    adminRoot: adminRootOf(settings),
    endSessions: (username) => void editorSessions.end((session) => session.user === username),
    endOthers: async (username, scope) =>
      editorSessions.end(({ user, scope: given }) => user === username && given !== scope),
  })
  const platformStorage = createStorage(platform, launch.id, launch.credentialSecret, tokenOf)
  const storage = editorSessions.watch(platformStorage)
  const audit = createAuditReporter(platform, launch.id, tokenOf, (reason) =>
    log.write('warn', `Audit entry not delivered: ${reason}`),
  )
  const onMessage = (message: NodeRedMessage) => {
    if (message.level === auditLevel) return audit.handle(message)
    flows.hear(message)
    logMessage(log, message, flows.from(message))
  }
  const logging = { forge: { level: 'info', metrics: false, audit: true, handler: () => onMessage } }

  loadWithoutVersions(launch.nodeRedPath)
  checkFewNodes(launch.nodeRedPath)
  const { server, app } = createHttp(express)
  const { userDir, credentialSecret, safe = false } = launch
  const takeover = createTakeover(nodeRed, server, { launch, listening })
  const isEditorOff = (answer.ha?.replicas ?? 1) > 1
  const sharesLibrary = answer.features['shared-library'] === true
  nodeRed.init(
    server,
    nodeRedSettings({
      settings,
      forgeUrl: answer.forgeURL,
      instance: launch,
      userDir,
      credentialSecret,
      safe,
      isSecure: launch.instanceUrl.startsWith('https:'),
      isEditorOff,
      isDevice: answer.device === true,
      linkNodes: linkNodes({
        platform,
        launch,
        link: answer.projectLink,
        forgeUrl: answer.forgeURL,
        instanceId: answer.projectID,
        isShared: answer.projectLink?.shared === true,
      }),
      teamLibrary: sharesLibrary ? teamLibraryOf(platform, answer.teamID) : undefined,
      storageModule: storage,
      persistentContext: contextStore(context, nodeRed.util),
      adminAuth: answer.device === true ? deviceAuth(launch.token, answer.editorUser, comparePassword) : adminAuth,
      logging,
    }),
  )
  if (!isEditorOff) serveInstance(nodeRed, { platform, launch, settings, forgeUrl: answer.forgeURL })
  nameAuthors(nodeRed)
  const presence = watchPresence(nodeRed, platform, launch.id, (reason) =>
    log.write('warn', `Open editors not reported: ${reason}`),
  )
  watchRefused(nodeRed, platformStorage.keepRefused, (reason) => log.write('warn', `Refused flows not kept: ${reason}`))
  refuseEndless(nodeRed)
  const access = createLiveAccess({ launch, forgeUrl: answer.forgeURL, compare: comparePassword })
  access.set(settings)
  mount({ app, server }, settings, {
    editor: isEditorOff ? undefined : nodeRed.httpAdmin,
    flows: nodeRed.httpNode,
    access,
    isStill: () => takeover.isStill(),
  })

  const connections = connectionsOf(server)

  flows.attach(nodeRed, takeover)
  const flowsSettled = settled(nodeRed)
  const npmAnswered = answerNpmCheck()
  takeover.begin()
  const packagesShown = hidePackages(launch.nodeRedPath)
  await nodeRed.start().finally(() => (npmAnswered(), packagesShown()))
  await Promise.race([flowsSettled, delay(settleMs, undefined, { ref: false })])
  await listening.open('http', server)
  if (!(await listening.answers())) throw new Error('Node-RED started, but does not answer HTTP')
  const lastStartTime = Date.now()
  presence.begin(lastStartTime)
  onStatus({ state: safe ? 'safe' : 'running', versions, lastStartTime })
  // Without flows at its start, it has some as soon as a person deploys.
  if (safe) onStarted(nodeRed, () => onStatus({ state: 'running', versions, lastStartTime }))

  return {
    async logout(token) {
      revoke(token)
      await editorSessions.end((session) => session.accessToken === token)
    },
    async protect() {
      access.set((await read()).settings)
      // Connections let in before would stay otherwise: pages that poll, streams, WebSockets.
      for (const socket of connections) socket.destroy()
    },
    takeover,
    healthy: listening.answers,
    async stop() {
      keepLinkSubscriptions()
      await nodeRed.stop()
      server.close()
      for (const socket of connections) socket.destroy()
      await audit.drain(drainMs)
    },
  }
}

/** The open connections of a server, also those that it handed over for a WebSocket. */
function connectionsOf(server: Server): ReadonlySet<Duplex> {
  const open = new Set<Duplex>()
  server.on('connection', (socket: Duplex) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

/** Node-RED notes here what the palette manager installs, and complains when it is not there. */
function prepareUserDir(folder: string): void {
  try {
    writeFileSync(join(folder, 'package.json'), '{"name":"instance","private":true,"dependencies":{}}\n', {
      flag: 'wx',
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/**
 * Node-RED replaces `${NAME}` in flows from the environment of its process. Returns the names that are left out: they
 * may have been saved before they were refused.
 */
function setEnvironment(env: Record<string, string>, timeZone: string | undefined): string[] {
  if (timeZone) process.env.TZ = timeZone
  const isRefused = (name: string) => envNameFault(name) === 'Not allowed'
  for (const [name, value] of Object.entries(env)) if (!isRefused(name)) process.env[name] = value
  return Object.keys(env).filter(isRefused)
}

/** Calls back when the flows are started after this. */
function onStarted(nodeRed: NodeRed, started: () => void): void {
  nodeRed.events.on('runtime-event', ({ id, payload }) => {
    if (id === 'runtime-state' && payload?.state === 'start') started()
  })
}

/** Flows are told of by a state without anything in it when they are read, and start after this warning. */
const startsStill = 'notification.warnings.credentials_load_failed_reset'

/** Resolves when the flows run, or Node-RED has said why they do not. */
function settled(nodeRed: NodeRed): Promise<void> {
  return new Promise((resolve) => {
    nodeRed.events.on('flows:started', () => resolve())
    nodeRed.events.on('runtime-event', ({ id, payload }) => {
      if (id === 'runtime-state' && payload && payload.text !== startsStill) resolve()
    })
  })
}
