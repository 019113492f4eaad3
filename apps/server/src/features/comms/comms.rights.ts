import type { TopicRights } from '@app/contract'

/** The user of the platform itself. */
export const platformUser = 'forge_platform'

export const usernameOf = (kind: 'device' | 'project', teamId: string, id: string) => `${kind}:${teamId}:${id}`

/** May a client of this user call itself so? Project nodes add `:n`, and the id of their process. */
export const isOwnClientId = (username: string, clientId: string): boolean =>
  clientId === username || clientId.startsWith(`${username}:`)

const ofDevice = ['status', 'logs', 'response'] as const

export const platformRights: TopicRights = {
  publish: ['l', 'd', 'p'].map((kind) => `ff/v1/+/${kind}/+/command`),
  subscribe: ['ff/v1/+/l/+/status', ...ofDevice.map((what) => `ff/v1/+/d/+/${what}`)],
}

/** @param messages may it exchange messages with others of its team? */
export function instanceRights(team: string, id: string, messages: boolean): TopicRights {
  const [all, own] = [`ff/v1/${team}/p/+`, `ff/v1/${team}/p/${id}`]
  const incoming = [`${all}/out/#`, `${own}/in/#`]
  return {
    publish: [`ff/v1/${team}/l/${id}/status`, ...(messages ? [`${all}/in/#`, `${all}/res*/#`, `${own}/out/#`] : [])],
    subscribe: [
      `ff/v1/${team}/l/${id}/command`,
      ...(messages ? [...incoming, ...incoming.map((topic) => `$share/${id}/${topic}`), `${own}/res*/#`] : []),
    ],
  }
}

/** @param assigned the instance that it is assigned to, of its team; without one it exchanges no messages. */
export function deviceRights(team: string, id: string, assigned: string | null, messages: boolean): TopicRights {
  const [all, own] = [`ff/v1/${team}/p/+`, `ff/v1/${team}/p/${assigned}`]
  const device = `ff/v1/${team}/d/${id}`
  const exchanges = messages && assigned !== null
  return {
    publish: [
      // The last two are of later agents: a broker that refuses them would lose the client.
      ...[...ofDevice, 'response/+', 'resources'].map((what) => `${device}/${what}`),
      ...(exchanges ? [`${all}/in/#`, `${all}/res/#`, `${own}/out/#`] : []),
    ],
    subscribe: [
      `${device}/command`,
      ...(assigned === null ? [] : [`${own}/command`]),
      ...(exchanges ? [`${all}/out/#`, `${own}/in/#`, `${own}/res/#`] : []),
    ],
  }
}
