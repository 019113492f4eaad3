import type { TopicRights } from '@app/contract'

/** A line of a role in the dynamic security of Mosquitto. The one with the highest priority that fits decides. */
export interface Acl {
  acltype: 'publishClientSend' | 'publishClientReceive' | 'subscribePattern'
  topic: string
  priority: number
  allow: boolean
}

/** Levels beside `res` and `res-…`. Mosquitto has no wildcard within a level, so `res*` is all but these. */
const otherLevels = ['in', 'out', 'command']
const priorities = { right: 3, otherLevel: 2, anyLevel: 1, rest: 0 }

/** The lines for these filters. */
function aclsFor(acltype: Acl['acltype'], filters: readonly string[]): Acl[] {
  const line = (topic: string, priority: number, allow: boolean): Acl => ({ acltype, topic, priority, allow })
  const isRight = (topic: string) => filters.includes(topic)
  return filters.flatMap((filter) => {
    if (!filter.includes('/res*/')) return [line(filter, priorities.right, true)]
    const others = otherLevels.map((level) => filter.replace('/res*/', `/${level}/`))
    return [
      // A role has one line for each topic.
      ...others.filter((topic) => !isRight(topic)).map((topic) => line(topic, priorities.otherLevel, false)),
      line(filter.replace('/res*/', '/+/'), priorities.anyLevel, true),
    ]
  })
}

/**
 * The role of a user with these rights and no others, whatever the defaults of the broker are. What may not be subscribed to is not
 * delivered either: subscriptions that a session has from before stay in it.
 */
export function aclsOf({ publish, subscribe }: TopicRights): Acl[] {
  const plain = subscribe.filter((filter) => !filter.startsWith('$share/'))
  const lines = [
    ...aclsFor('publishClientSend', publish),
    ...aclsFor('subscribePattern', subscribe),
    ...aclsFor('publishClientReceive', plain),
  ]
  const kinds = ['publishClientSend', 'subscribePattern', 'publishClientReceive'] as const
  // `#` covers `$share/…` and `$SYS/…` here as well.
  const rest = kinds.map((acltype) => ({ acltype, topic: '#', priority: priorities.rest, allow: false }))
  return [...lines, ...rest]
}
