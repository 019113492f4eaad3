import type { Services } from '../../platform/features/services.ts'
import { broken, fine, type Finding, type Look, warning } from '../../platform/health/check.ts'
import { type Figure, figure } from '../../platform/health/figures.ts'
import type { HostState } from './hosting.service.ts'

/** Where the instances run, and what is known of those who ran them before. */
function judgeHost({ at, name, silentSeconds, former, stopped, blocked }: HostState): Finding {
  if (at === 'nowhere')
    return broken(
      'HOST01',
      silentSeconds === undefined
        ? 'No server runs the instances: the one that did was stopped.'
        : `The server that runs the instances, ${name}, was last heard of ${silentSeconds} s ago.`,
    )
  if (blocked) return broken('HOST04', `${blocked}.`)
  if (stopped)
    return warning(
      'HOST03',
      stopped === 'done' ? 'All instances were stopped by command.' : 'All instances are being stopped by command.',
    )
  if (former)
    return warning(
      'HOST02',
      `The instances were taken over from ${former.name} on ${new Date(former.at).toISOString().slice(0, 16).replace('T', ' ')} UTC, and it has not said since that its processes ended.`,
    )
  return fine(
    at === 'here'
      ? 'The instances run on this server.'
      : `The instances run on ${name}, heard of ${silentSeconds} s ago.`,
  )
}

export const hostingChecks = ({ host }: Pick<Services, 'host'>): Look[] => [
  { part: 'Servers', leads: true, run: async () => judgeHost(await host.state()) },
]

/** Figures by which a monitoring system tells that no server runs the instances. */
export async function hostingFigures({ host }: Pick<Services, 'host'>): Promise<Figure[]> {
  const state = await host.state()
  const silent = state.at === 'here' ? 0 : state.silentSeconds
  return [
    figure('flowforge_instances_here', 'gauge', 'Whether this server runs the instances.', [
      [state.at === 'here' ? 1 : 0],
    ]),
    figure('flowforge_instances_served', 'gauge', 'Whether any server runs the instances.', [
      [state.at === 'nowhere' ? 0 : 1],
    ]),
    ...(silent === undefined
      ? []
      : [
          figure(
            'flowforge_instances_silent_seconds',
            'gauge',
            'Since when the server that runs the instances is silent.',
            [[silent]],
          ),
        ]),
  ]
}
