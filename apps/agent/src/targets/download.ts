import type { DeviceTerms } from '@app/contract/device-deployment'
import { randomBytes } from 'node:crypto'
import { AgentError } from '../agent.errors.ts'
import type { PlatformLink, Settings, Wanted } from '../link/platform.link.ts'
import type { TargetContents } from './target.ts'

const exact = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/

/** The rules where the platform names none. */
const usualTerms: DeviceTerms = { takeover: 'auto', refusesErrors: false, steadySeconds: 3 }

/** A target with the rules by which it comes in. */
export interface Download {
  contents: TargetContents
  terms: DeviceTerms
}

/**
 * Downloads the target of a device whole, before anything is touched. Undefined when it shall run nothing.
 * @throws AgentError from the link; target_changed when it was replaced meanwhile, which the next check-in tells.
 */
export async function downloadTarget(
  link: PlatformLink,
  wanted: Wanted,
  usualNodeRed: () => string,
): Promise<Download | undefined> {
  const snapshot = await link.snapshot()
  const settings = await link.settings()
  if (!snapshot) return undefined
  if (snapshot.id !== wanted.snapshot)
    throw new AgentError('target_changed', 'The target was replaced while it was downloaded')
  const { 'node-red': nodered = '', ...modules } = snapshot.modules ?? {}
  const contents = {
    target: {
      id: `t-${randomBytes(8).toString('hex')}`,
      project: wanted.project,
      snapshot: snapshot.id,
      name: snapshot.name,
      settings: settings.hash,
    },
    flows: snapshot.flows,
    credentials: snapshot.credentials ?? {},
    env: { ...snapshot.env, ...settings.env },
    nodered: settings.nodeRed?.version ?? (exact.test(nodered) ? nodered : usualNodeRed()),
    modules,
    settings: ofDevice(snapshot.settings ?? {}, settings.nodeRed ?? {}, Object.keys(modules)),
    ...(settings.nodeRed?.editorAuth && { editor: settings.nodeRed.editorAuth }),
    messages: settings.features?.projectComms === true,
  }
  return { contents, terms: settings.deployment ?? usualTerms }
}

/** The settings of a snapshot with those of this device. Modules of the target are always allowed. */
function ofDevice(settings: Record<string, unknown>, nodeRed: NodeRed, own: string[]) {
  const { allowList, denyList, catalogues, httpAuth } = nodeRed
  const palette = (settings.palette ?? {}) as { denyList?: string[] }
  return {
    ...settings,
    palette: {
      ...palette,
      ...(allowList && { allowList: [...allowList, ...own] }),
      ...(denyList && { denyList: [...(palette.denyList ?? []), ...denyList] }),
      ...(catalogues && { catalogues }),
    },
    ...(httpAuth && { httpNodeAuth: { type: 'basic', user: httpAuth.user, pass: httpAuth.hash } }),
  }
}
type NodeRed = NonNullable<Settings['nodeRed']>
