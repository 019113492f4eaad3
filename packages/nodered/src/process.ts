import type { LaunchSpec, RuntimeStatus } from '@app/contract/instance-link'
import type { RuntimeSettings } from '@app/contract/runtime'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { logMessage } from './capture.ts'
import { answers, createHttp, listen, mount } from './http.ts'
import type { LogWriter } from './logs.ts'
import { hidePackages } from './module-scan.ts'
import { answerNpmCheck } from './npm-check.ts'
import { createPlatformClient } from './platform.client.ts'
import { createAuditReporter } from './plugins/audit.plugin.ts'
import { createAuth } from './plugins/auth.plugin.ts'
import { flowAccess } from './plugins/flow-access.ts'
import { watchPresence } from './plugins/presence.plugin.ts'
import { createEditorSessions } from './plugins/sessions.ts'
import { createStorage } from './plugins/storage.plugin.ts'
import { serveInstance } from './plugins/instance.plugin.ts'
import { watchRefused } from './refused.ts'
import { adminRootOf, nodeRedSettings, type PlatformSettings } from './settings.ts'
import { loadStack, type NodeRed, type NodeRedMessage } from './stack.ts'
import { teamLibraryOf } from './team-library/team-library.ts'
import { forgetIfRead } from './training.ts'

export { captureStreams } from './capture.ts'
export { listen } from './http.ts'
export { type LogWriter, openLog } from './logs.ts'
export { loadAhead } from './training.ts'

export interface NodeRedOptions {
  launch: LaunchSpec
  log: LogWriter
  /** Of the runtime around Node-RED, shown as the launcher's. */
  version: string
  onStatus(status: RuntimeStatus): void
}

export interface RunningNodeRed {
  /** Ends the editor sessions that hold this token, be it Node-RED's or the platform's. */
  logout(token: string): Promise<void>
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
export async function startNodeRed({ launch, log, version, onStatus }: NodeRedOptions): Promise<RunningNodeRed> {
  onStatus({ state: 'loading' })
  const platform = createPlatformClient(launch.platformUrl, launch.token)
  // As agreed: no schema is checked in an instance, since zod would take 10 MB in each.
  const answer = (await platform.call(`/api/v1/projects/${encodeURIComponent(launch.id)}/settings`)) as RuntimeSettings
  const settings = answer.settings as PlatformSettings
  setEnvironment(answer.env, settings.timeZone)
  // The palette manager's npm follows the same rule as the platform's.
  if (settings.palette?.installScripts !== true) process.env.npm_config_ignore_scripts = 'true'
  forgetIfRead(Object.keys(answer.env))
  prepareUserDir(launch.userDir)

  const { nodeRed, express, sessions, comparePassword } = loadStack(launch.nodeRedPath)
  const versions = { 'node-red': nodeRed.version(), launcher: version, node: process.versions.node }
  onStatus({ state: 'starting', versions })

  const editorSessions = createEditorSessions(sessions)
  const platformStorage = createStorage(platform, launch.id, launch.credentialSecret)
  const storage = editorSessions.watch(platformStorage)
  const audit = createAuditReporter(platform, launch.id, (reason) =>
    log.write('warn', `Audit entry not delivered: ${reason}`),
  )
  const { adminAuth, revoke } = createAuth({
    launch,
    forgeUrl: answer.forgeURL,
    adminRoot: adminRootOf(settings),
    endSessions: (username) => void editorSessions.end((session) => session.user === username),
    endOthers: async (username, scope) =>
      editorSessions.end(({ user, scope: given }) => user === username && given !== scope),
  })
  const onMessage = (message: NodeRedMessage) =>
    message.level === auditLevel ? audit.handle(message) : logMessage(log, message)
  const logging = { forge: { level: 'info', metrics: false, audit: true, handler: () => onMessage } }

  const { server, app } = createHttp(express)
  const { userDir, credentialSecret, safe = false } = launch
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
      isEditorOff,
      teamLibrary: sharesLibrary ? teamLibraryOf(platform, answer.teamID) : undefined,
      storageModule: storage,
      adminAuth,
      logging,
    }),
  )
  if (!isEditorOff) serveInstance(nodeRed, { platform, launch, settings, forgeUrl: answer.forgeURL })
  const presence = watchPresence(nodeRed, platform, launch.id, (reason) =>
    log.write('warn', `Open editors not reported: ${reason}`),
  )
  watchRefused(nodeRed, platformStorage.keepRefused, (reason) => log.write('warn', `Refused flows not kept: ${reason}`))
  const access = flowAccess({ launch, settings, forgeUrl: answer.forgeURL, compare: comparePassword })
  mount({ app, server }, settings, {
    editor: isEditorOff ? undefined : nodeRed.httpAdmin,
    flows: nodeRed.httpNode,
    access,
  })

  const flowsSettled = settled(nodeRed)
  const npmAnswered = answerNpmCheck()
  const packagesShown = hidePackages(launch.nodeRedPath)
  await nodeRed.start().finally(() => (npmAnswered(), packagesShown()))
  await Promise.race([flowsSettled, delay(settleMs, undefined, { ref: false })])
  await listen(server, launch.httpSocket)
  if (!(await answers(launch.httpSocket))) throw new Error('Node-RED started, but does not answer HTTP')
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
    healthy: () => answers(launch.httpSocket),
    async stop() {
      await nodeRed.stop()
      server.close()
      server.closeAllConnections()
      await audit.drain(drainMs)
    },
  }
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

/** Node-RED replaces `${NAME}` in flows from the environment of its process. */
function setEnvironment(env: Record<string, string>, timeZone: string | undefined): void {
  if (timeZone) process.env.TZ = timeZone
  Object.assign(process.env, env)
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
