import {
  type DeviceEventReport,
  DeviceLoad,
  type DeviceMismatch,
  type DeviceReport,
  type DeviceSnapshot,
  isReading,
  TargetState,
} from '@app/contract'
import * as z from 'zod/mini'
import { type Clock, iso } from '../../platform/clock.ts'
import type { Vault } from '../../platform/crypto.ts'
import type { Database } from '../../platform/db/database.ts'
import { jsonColumn } from '../../platform/db/json.ts'
import type { Bus } from '../../platform/events/bus.ts'
import { fail } from '../../platform/http/failure.ts'
import { createPace } from '../../platform/http/pace.ts'
import { type Audit, type Named, namedId, reportedError, reportTrigger } from '../audit/index.ts'
import { settingsView } from '../catalogue/index.ts'
import type { Messages } from '../comms/index.ts'
import type { Contents } from '../contents/index.ts'
import { effectiveSettings, plainVariables } from '../instance-settings/index.ts'
import { findWhole, instanceRef } from '../instances/index.ts'
import { sealCredentials } from '../flows/index.ts'
import { modulesOfSnapshot, type Snapshots } from '../snapshots/index.ts'
import type { DeviceLoads } from './loads/loads.service.ts'
import { orderFor, updateReported } from './agent/agent.updates.ts'
import type { EditorProofs } from './editor/editor.proofs.ts'
import { hashedNodeRed, nodeRedOf } from './devices.nodered.ts'
import { httpNodeAuth, protectionOf } from './devices.protection.ts'
import { openEnv, secretContext, settingsHash } from './devices.secrets.ts'
import { findToldDevice, findTold, hasSnapshot, takeReport, updateDevice, type ToldDevice } from './devices.store.ts'
import { troubleOf } from './devices.trouble.ts'
import { deviceVariables, isSilent, readAttempt } from './devices.view.ts'

const readFlows = jsonColumn('snapshots.flows', z.array(z.record(z.string(), z.unknown())))

export interface DeviceLinkDependencies {
  database: Database
  bus: Bus
  clock: Clock
  audit: Audit
  vault: Vault
  contents: Contents
  snapshots: Snapshots
  deviceLoads: Pick<DeviceLoads, 'add'>
  messages: Pick<Messages, 'isOn'>
  editorProofs: Pick<EditorProofs, 'read'>
  /** Time that new flows must run. */
  steadySeconds: number
  /** The person, if they belong to the team. */
  memberOf(teamId: string, userId: string | undefined): Promise<Named['person'] | undefined>
}

/** Events of one device in a minute. Somebody at its editor makes a few. */
const eventsMost = 300
const minuteMs = 60_000

/** A command for one device. */
export interface Addressed {
  teamId: string
  deviceId: string
  command: { command: string } & Record<string, unknown>
}

interface ReportedBy {
  /** The team that the agent names. */
  teamId?: string
  /** It says nothing but that it is there. */
  isSeen?: boolean
}

export type DeviceLink = ReturnType<typeof createDeviceLink>

/** The calls of a device's agent: it asks for its desired state and reports its own. */
export function createDeviceLink(deps: DeviceLinkDependencies) {
  const { database, bus, clock, audit, vault, contents, snapshots, editorProofs } = deps
  const pace = createPace(() => clock.now(), eventsMost, minuteMs)

  async function find(id: string): Promise<ToldDevice> {
    const row = await findToldDevice(database.read, id)
    if (!row) throw fail('not_found')
    return row
  }
  const wanted = (row: ToldDevice) => ({
    project: row.assigned_id,
    snapshot: row.wanted_id,
    settings: settingsHash(row),
  })
  const stateOf = (row: ToldDevice, shall = wanted(row)) => ({
    ...shall,
    mode: row.mode,
    ownerType: row.assigned_id === null ? null : ('project' as const),
    licensed: true,
  })
  /** For agents that know it. */
  const memoryOf = (row: ToldDevice) => (row.memory_limit === null ? {} : { memory: nodeRedOf(row).memory })
  const updateOf = (row: ToldDevice, shall = wanted(row)): Addressed => ({
    teamId: row.team_id,
    deviceId: row.id,
    command: { command: 'update', ...stateOf(row, shall), ...ordered(row), ...memoryOf(row) },
  })
  const platformValues = (row: ToldDevice) =>
    Object.fromEntries(deviceVariables(row).map(({ name, value }) => [name, value]))

  /** The first in which a report is not what the device shall be. Agents say nothing of what they know nothing of. */
  function mismatch(
    row: ToldDevice,
    report: DeviceReport,
    { project, snapshot, settings }: ReturnType<typeof wanted>,
  ): DeviceMismatch | undefined {
    if (report.project !== undefined && report.project !== project) return 'incorrect-project'
    if ((report.snapshot ?? null) !== snapshot) return 'incorrect-snapshot'
    if (report.settings !== undefined && report.settings !== settings) return 'incorrect-settings'
    if (report.mode != null && report.mode !== row.mode) return 'incorrect-mode'
    if (report.agent !== undefined && row.agent_order !== null) return 'incorrect-agent'
    if (report.memoryLimit && report.memoryLimit.set !== nodeRedOf(row).memory) return 'incorrect-memory'
    return undefined
  }

  return {
    /** Keeps what an agent says. Returns its desired state when that is something else, and the command that tells it. */
    async report(id: string, report: DeviceReport, { teamId, isSeen = false }: ReportedBy = {}) {
      const row = await find(id)
      const { active_snapshot_id: before, team_id: team } = row
      if (teamId !== undefined && teamId !== team) throw fail('not_found')
      const said = report.snapshot ?? null
      const active =
        said === before || said === null ? said : (await hasSnapshot(database.read, team, said)) ? said : null
      const now = clock.now()
      const change = {
        status: report.state ?? (row.last_seen_at === null ? 'unknown' : row.status),
        agent_version: report.agentVersion ?? row.agent_version,
        nodejs_version: report.nodejsVersion ?? row.nodejs_version,
        nodered_version: report.nodeRedVersion ?? row.nodered_version,
        target_state: TargetState.safeParse(report.targetState).data ?? row.target_state,
        active_snapshot_id: isSeen ? before : active,
        memory_limit: isSeen ? row.memory_limit : limitOf(report),
        trouble: isSeen ? row.trouble : troubleOf(report, now),
        ...told(row, report, now),
        ...updateReported(row, report, now),
      }
      const isNews =
        // Browsers need not hear of a device that calls as it should.
        isSilent(row.last_seen_at, now) ||
        (Object.keys(change) as (keyof typeof change)[]).some((key) => change[key] !== row[key])
      await database.transact(async (tx) => {
        await updateDevice(tx, id, { ...change, ...opened(row, report), last_seen_at: now })
        if (isNews) await bus.publish(tx, { type: 'device', team, id })
      })
      const load = report.load === undefined ? undefined : DeviceLoad.safeParse(report.load).data
      if (load) deps.deviceLoads.add(id, load)
      const next = { ...row, agent_order: change.agent_order, memory_limit: change.memory_limit }
      // Once for a check-in: the hash of its settings merges those of its instance and of the template.
      const shall = wanted(row)
      const error = mismatch(next, report, shall)
      const desired = { ...shall, application: null, mode: row.mode, ...ordered(next), ...memoryOf(next) }
      return { mismatch: error && { error, ...desired }, update: updateOf(next, shall) }
    },

    async state(id: string) {
      const row = await find(id)
      return { ...stateOf(row), targetState: TargetState.parse(row.target_state ?? 'running') }
    },

    /** The commands that tell these devices, and those of these instances, what they shall run. */
    async commandsFor({ devices, instances = [] }: { devices: readonly string[]; instances?: readonly string[] }) {
      const rows = await findTold(database.read, devices, instances)
      return rows.map((row) => updateOf(row))
    },

    /** The snapshot a device should run, with the credentials of its flows under its own secret; undefined: none. */
    async snapshot(id: string): Promise<DeviceSnapshot | undefined> {
      const device = await find(id)
      if (device.assigned_id === null || device.wanted_id === null) return undefined
      const instance = await findWhole(database.read, device.assigned_id)
      const snapshot = await snapshots.find(device.assigned_id, device.wanted_id)
      if (!instance || !snapshot) return undefined
      const held = await snapshots.read(snapshot)
      const row = { ...instance, settings: held.settings }
      const secret = vault.open(device.credential_secret, secretContext(id))
      const { env: _env, ...settings } = settingsView(effectiveSettings(row))
      return {
        id: snapshot.id,
        name: snapshot.name,
        description: snapshot.description,
        flows: readFlows(held.flows, snapshot.id),
        ...(held.credentials === null
          ? {}
          : { credentials: sealCredentials(contents.open(instance, held.credentials), secret) }),
        settings: { ...settings, httpNodeAuth: httpNodeAuth(protectionOf(device)) },
        env: { ...plainVariables(vault, row), ...platformValues(device) },
        modules: modulesOfSnapshot(snapshot),
      }
    },

    async settings(id: string) {
      const row = await find(id)
      const protection = protectionOf(row)
      const env = Object.fromEntries(openEnv(vault, row).map(({ name, value }) => [name, value]))
      return {
        hash: settingsHash(row),
        env: { ...env, ...platformValues(row) },
        // Agents take what is not named here for granted.
        features: {
          // The token of a device does not open it.
          'shared-library': false,
          projectComms: deps.messages.isOn,
          teamBroker: false,
          tables: false,
        },
        assistant: { enabled: false },
        deployment: {
          takeover: row.takeover,
          refusesErrors: row.instance_on_errors === 'refuse',
          steadySeconds: deps.steadySeconds,
        },
        nodeRed: { ...hashedNodeRed(row), httpAuth: protection },
        ...(protection && { security: { httpNodeAuth: httpNodeAuth(protection) } }),
      }
    },

    /**
     * Records what happened inside Node-RED on a device. Who did it is known where they came through the tunnel of its
     * editor, and a claim otherwise. @throws Failure too_many_requests.
     */
    async audit(id: string, address: string, given: DeviceEventReport) {
      const { wait } = pace.take(id)
      if (wait > 0) throw fail('too_many_requests', `At most ${eventsMost} events a minute`, { retryAfter: wait })
      const device = await find(id)
      if (device.assigned_id === null || isReading(given.event)) return
      const { event, timestamp, user, editorToken, reportId, error, ...info } = given
      const proof = editorToken === undefined ? undefined : editorProofs.read(id, editorToken)
      const person = await deps.memberOf(device.team_id, proof?.user ?? namedId(user))
      const named = person && { person, isKnown: proof !== undefined }
      const { trigger, claim } = reportTrigger(device, (named?.isKnown && proof?.address) || address, named)
      const fault = reportedError(error)
      // Other agents send events at once, and may say anything for a time.
      const more = {
        ...info,
        ...(reportId !== undefined && timestamp !== undefined && lateness(timestamp, clock.now())),
      }
      const body = {
        project: instanceRef({ id: device.assigned_id, name: device.instance_name ?? '' }),
        device: { id, name: device.name },
        ...claim,
        ...(Object.keys(more).length > 0 ? { info: more } : {}),
        ...(fault ? { error: fault } : {}),
      }
      const auditScope = { type: 'project' as const, id: device.assigned_id, team: device.team_id }
      await database.transact(async (tx) => {
        // Its agent may have lost the answer.
        if (reportId !== undefined && !(await takeReport(tx, id, reportId))) return
        await audit.recordReported(tx, trigger, event, auditScope, body)
      })
    },
  }
}

/** The order for its agent, where it has one. */
function ordered(row: ToldDevice) {
  const agentOrder = orderFor(row)
  return agentOrder && { agentOrder }
}
const limitOf = ({ memoryLimit }: DeviceReport) => (memoryLimit === undefined ? null : JSON.stringify(memoryLimit))

/** Its connections come and go, which is no news. */
const opened = (row: ToldDevice, { opens }: DeviceReport) => ({
  opens: opens === undefined ? row.opens : JSON.stringify(opens),
})

/** The columns for a report of an agent of this platform: the target it refused or took, and its own id. */
function told(row: ToldDevice, { refused, agent, lastDeployment }: DeviceReport, now: number) {
  const isOther = agent !== undefined && row.agent_id !== null && agent !== row.agent_id
  return {
    refused: refused === undefined ? row.refused : refused && JSON.stringify(refused),
    agent_id: agent ?? row.agent_id,
    ...attempted(row, lastDeployment, now),
    // One that was installed anew comes after a silence; two at once take turns.
    shared_at: isOther && !isSilent(row.last_seen_at, now) ? now : row.shared_at,
  }
}

/** An attempt may be reported more than once. */
function attempted(row: ToldDevice, attempt: DeviceReport['lastDeployment'], now: number) {
  const { last_deployment, deployment_reported_at } = row
  const known = last_deployment === null ? undefined : readAttempt(last_deployment, row.id).id
  return attempt === undefined || attempt.id === known
    ? { last_deployment, deployment_reported_at }
    : { last_deployment: JSON.stringify(attempt), deployment_reported_at: now }
}

/** When it happened by the clock of the device, where an event was reported later, or that clock is wrong. */
function lateness(timestamp: number, now: number) {
  const isTime = !Number.isNaN(new Date(timestamp).getTime())
  return isTime && Math.abs(now - timestamp) >= minuteMs ? { deviceTime: iso(timestamp) } : {}
}
