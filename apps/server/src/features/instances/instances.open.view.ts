import type { OpenInstance } from '@app/contract'
import type { ViewedInstance } from './instances.lists.store.ts'
import { type Addresses, shownState, stateView } from './instances.view.ts'
import { effectiveSettings } from '../instance-settings/index.ts'

/** Modules that serve dashboards, and where: at the path that the settings give, or at their own. */
const dashboards: Record<string, (settings: { dashboardUI?: string }) => string> = {
  'node-red-dashboard': ({ dashboardUI }) => dashboardUI ?? '/ui',
  '@flowfuse/node-red-dashboard': () => '/dashboard',
}

/** An instance as somebody sees it who may only use what its flows serve. */
export function openView(row: ViewedInstance, addresses: Addresses, now: number): OpenInstance {
  const url = addresses.instanceUrl(row)
  const settings = effectiveSettings(row)
  const { sleeping } = stateView(row, now).meta
  return {
    id: row.id,
    name: row.name,
    application: row.application_name,
    url,
    // One of several processes is enough to answer.
    state: shownState(row, now),
    ...(sleeping ? { sleeping } : {}),
    dashboards: (settings.palette?.modules ?? []).flatMap(({ name }) => {
      const path = dashboards[name]?.(settings)
      return path === undefined ? [] : [`${url}/${path.replace(/^\/+/, '')}`]
    }),
  }
}
