import type { Db } from '../../../platform/db/tables.ts'
import type { Grant, Rule } from './rules.matches.ts'

/** The groups that rules name, as the directory of the company knows them. */
export interface Pushed {
  /** The directory pushes these groups. */
  known: ReadonlySet<string>
  /** The person is in these of them. */
  own: ReadonlySet<string>
}

/** The groups that directories push, by the provider whose people they provision. */
export interface DirectoryGroups {
  /** `names` are compared with the name and the external id of each group, letter by letter. */
  pushed(db: Db, providerId: string, userId: string, names: readonly string[]): Promise<Pushed>
}

/** Nothing is pushed for whoever has no account yet. */
export const nothingPushed: Pushed = { known: new Set(), own: new Set() }

/** Has anybody said anything of the groups of the person? */
export const isTold = (sent: readonly string[] | undefined, { known }: Pushed): boolean =>
  sent !== undefined || known.size > 0

/**
 * The rules that count for a person, by the groups that came with the sign-in (`undefined`: there is none, or it said
 * nothing of groups) and by those that the directory pushes (decision 152). A rule of which nobody has said anything
 * goes on giving what it gave.
 */
export function countingRules(
  rules: readonly Rule[],
  sent: readonly string[] | undefined,
  pushed: Pushed,
  grants: readonly Grant[],
): Rule[] {
  const named = sent && new Set(sent)
  return rules.flatMap((rule): Rule[] => {
    const isKnown = pushed.known.has(rule.group)
    if (isKnown && !pushed.own.has(rule.group)) return []
    // A token of a directory proves less than a sign-in: it must not make administrators.
    if ((isKnown && rule.teamId !== null) || named?.has(rule.group)) return [rule]
    if (named) return []
    const given = grants.find(
      ({ own, teamId, applicationId }) => own && teamId === rule.teamId && applicationId === rule.applicationId,
    )
    return given ? [{ ...rule, role: given.role }] : []
  })
}
