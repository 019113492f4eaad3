import type { Notice } from '../../platform/proxy/index.ts'

const transitional: Record<string, string> = {
  starting: 'is starting',
  loading: 'is starting',
  installing: 'is being installed',
  importing: 'is taking over a new version of its flows',
  restarting: 'is restarting',
  stopping: 'is stopping',
  suspending: 'is being suspended',
  waking: 'is waking up',
  protecting: 'is closed until its new protection is in force',
}
const settled: Record<string, string> = {
  suspended: 'is suspended',
  stopped: 'is stopped',
  crashed: 'has crashed',
  error: 'could not be started',
}

export const unknownHost: Notice = {
  status: 404,
  code: 'not_found',
  title: 'Nothing here',
  text: 'There is no instance at this address.',
}
const broken: Notice = {
  status: 502,
  code: 'instance_failed',
  title: 'No answer',
  text: 'The instance broke off before it answered.',
}
const unreachable: Notice = {
  status: 503,
  code: 'instance_unavailable',
  title: 'Not reachable',
  text: 'The instance cannot be reached at the moment.',
  retryAfter: 2,
  reload: true,
}

/** Answers a request to an instance that exists and does not run. */
export function awayNotice(name: string, state: string): Notice {
  const passing = transitional[state]
  const words = passing ?? settled[state] ?? 'cannot be reached at the moment'
  const reload = passing !== undefined || settled[state] === undefined
  return {
    status: 503,
    code: 'instance_unavailable',
    title: `${name} ${words}`,
    text: reload
      ? 'This page looks again by itself.'
      : 'Someone of its team can start it in the console. Until then it answers no requests.',
    retryAfter: reload ? 2 : 60,
    reload,
    state,
  }
}

/** The answers of the proxy for instances. */
export const proxyNotices = { unreachable, broken }
