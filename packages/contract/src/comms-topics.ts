/**
 * Topics of the broker: `ff/v1/{team}/{kind}/{id}/…`. A right is a filter: `+` stands for one level, `#` for all levels
 * from there on, and `res*` for `res` or `res-` with anything behind it.
 */
export interface TopicRights {
  publish: readonly string[]
  subscribe: readonly string[]
}

/** Longest topic or filter, in characters. */
export const topicMax = 1_024

const fits = (right: string, level: string): boolean =>
  right === '+' || right === level || (right === 'res*' && (level === 'res' || level.startsWith('res-')))

/** Does this right cover every topic of the filter? A topic is a filter without wildcards. */
export function covers(right: string, filter: string): boolean {
  const [rights, levels] = [right.split('/'), filter.split('/')]
  for (const [at, wanted] of rights.entries()) {
    const level = levels[at]
    // `a/#` covers `a` as well, as MQTT has it.
    if (wanted === '#') return at > 0
    if (level === undefined) return false
    if (level === '#') return false
    if (level === '+' ? wanted !== '+' : !fits(wanted, level)) return false
  }
  return rights.length === levels.length
}

/** May a client with these rights publish to the topic? */
export const mayPublish = ({ publish }: TopicRights, topic: string): boolean =>
  isTopic(topic) && publish.some((right) => covers(right, topic))

/** May a client with these rights subscribe to the filter, which may begin with `$share/{group}/`? */
export const maySubscribe = ({ subscribe }: TopicRights, filter: string): boolean =>
  isFilter(filter) && subscribe.some((right) => covers(right, filter))

const isSound = (text: string) => text !== '' && text.length <= topicMax && !text.includes('\0')

/** A topic that messages can be published to. */
export const isTopic = (text: string): boolean => isSound(text) && !/[+#]/.test(text)

/** A filter that can be subscribed to. */
export function isFilter(text: string): boolean {
  if (!isSound(text)) return false
  const levels = text.split('/')
  return levels.every(
    (level, at) =>
      level === '+' || (level === '#' ? at === levels.length - 1 : !level.includes('+') && !level.includes('#')),
  )
}
