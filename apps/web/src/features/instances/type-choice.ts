import type { InstanceType, TeamQuotas, TemplateSummary } from '@app/contract'
import type { Option } from '../../ui/option.ts'

type Type = Pick<InstanceType, 'id' | 'name' | 'active' | 'properties'>

/**
 * An instance type with how much of it the team uses, where it has a limit, and whether its trial includes one. It cannot
 * be chosen while it is not active.
 */
export type ChosenType = InstanceType & { used?: string; trial?: true }

/** The types as a team may use them: one that it may not use, or that is used up, cannot be chosen. */
export const choicesOf = (
  types: readonly InstanceType[],
  quotas: TeamQuotas | undefined,
  trialType?: string,
): ChosenType[] =>
  types.map((listed) => {
    const type: ChosenType = listed.id === trialType ? { ...listed, trial: true } : listed
    const quota = quotas?.instanceTypes.find(({ id }) => id === type.id)
    if (!quota) return type
    const { allowed, used, limit } = quota
    if (!allowed) return { ...type, active: false, used: 'not for teams of this type' }
    if (limit === null) return type
    return { ...type, active: type.active && used < limit, used: `${used} of ${limit} used` }
  })

/** The tile of a type, without its description: its price and interval, as administrators wrote them. */
export const typeTile = ({ id, name, active, properties, used, trial }: Type & Pick<ChosenType, 'used' | 'trial'>) => {
  const notes = [priceNote(properties), used, trial && 'free in the trial'].filter(Boolean)
  return {
    value: id,
    title: name,
    disabled: !active,
    ...(notes.length > 0 ? { note: notes.join(' · ') } : {}),
  }
}

/** The price and the interval of a type; undefined where it has none. */
export const priceNote = ({ billingDescription }: InstanceType['properties']): string | undefined =>
  billingDescription?.replace('/', ' / ')

type Template = Pick<TemplateSummary, 'id' | 'name' | 'active' | 'description'>

export const templateOptions = (templates: readonly Template[]): Option[] =>
  templates.map(({ id, name, active }) => ({ value: id, label: name, disabled: !active }))

/** Under the field: what the chosen template is for. */
export const templateHelp = (templates: readonly Template[], chosen: string): string =>
  templates.find(({ id }) => id === chosen)?.description || 'The settings the instance starts with.'
