import type { KeptNodeRed } from '@app/contract'
import { effectiveSettings } from '../instance-settings/index.ts'
import { nodeRedOf } from './devices.nodered.ts'
import type { ToldDevice } from './devices.store.ts'

type Protection = KeptNodeRed['httpAuth']

/** The hash of no password. Devices lack the sign-in through the platform, and stay closed in its place. */
const closed = { user: 'closed', hash: 'closed' }

/**
 * The protection of flows that a device has from its instance as that is now, whatever its snapshot says; null: none, or the
 * device has its own.
 */
export function inherited(row: ToldDevice): Protection {
  const { instance_settings: settings, template_settings, template_policy } = row
  if (nodeRedOf(row).httpAuth || settings === null || template_settings === null || template_policy === null)
    return null
  const { httpNodeAuth } = effectiveSettings({ settings, template_settings, template_policy })
  const { type = 'none', user, pass } = httpNodeAuth ?? {}
  if (type === 'none') return null
  return type === 'basic' && user && typeof pass === 'string' ? { user, hash: pass } : closed
}

/** The protection of the flows on a device. */
export const protectionOf = (row: ToldDevice): Protection => nodeRedOf(row).httpAuth ?? inherited(row)

/** As the settings of Node-RED have it. */
export const httpNodeAuth = (protection: Protection) =>
  protection === null
    ? { type: 'none' as const, user: '', pass: '' }
    : { type: 'basic' as const, user: protection.user, pass: protection.hash }
