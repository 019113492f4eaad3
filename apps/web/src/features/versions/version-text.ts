import type { FlowChanges, FlowVersion } from '@app/contract'
import { formatExact } from '../../lib/dates.ts'
import { type NodeCounts, nodeCountsText } from '../../lib/node-counts.ts'

const words: Record<FlowVersion['kind'], string> = {
  deploy: 'Deployed',
  import: 'Imported from a file',
  restore: 'Restored',
  rollback: 'Restored from a snapshot',
  push: 'Pushed from another instance',
  duplicate: 'Copied from another instance',
  earlier: 'From before versions were kept',
  refused: 'Not deployed: the flows had changed',
}

/** Origin of a version, in words. */
export const originOf = ({ kind, from }: Pick<FlowVersion, 'kind' | 'from'>): string =>
  from ? `${words[kind]} from ${formatExact(from.createdAt)}` : words[kind]

/** The author of a version; a name that the instance gave without proof is marked as its claim. */
export const whoOf = ({ user, claimedUser }: Pick<FlowVersion, 'user' | 'claimedUser'>, instance: string) =>
  claimedUser ? `${instance} (says: ${claimedUser.name})` : user?.name

/** "253 moved, 5 changed"; what is zero is left out. */
export const countsText = (counts: NodeCounts): string => nodeCountsText(counts) || 'no nodes'

const mostTabs = 3

/** The changes by tab, one text each: the first few, and how many more there are. */
export function tabTexts({ tabs }: Pick<FlowChanges, 'tabs'>): string[] {
  const shown = tabs.slice(0, mostTabs).map(({ tab, ...counts }) => `${tab ?? 'On no tab'}: ${countsText(counts)}`)
  const more = tabs.length - shown.length
  return more > 0 ? [...shown, `${more} more ${more === 1 ? 'tab' : 'tabs'}`] : shown
}
