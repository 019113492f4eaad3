import type { InstanceType, TemplateSummary } from '@app/contract'
import type { Option } from '../../ui/option.ts'

type Type = Pick<InstanceType, 'id' | 'name' | 'active' | 'properties'>

/** The tile of a type, without its description: its price and interval, as administrators wrote them. */
export const typeTile = ({ id, name, active, properties }: Type) => ({
  value: id,
  title: name,
  disabled: !active,
  ...(properties.billingDescription ? { note: properties.billingDescription.replace('/', ' / ') } : {}),
})

type Template = Pick<TemplateSummary, 'id' | 'name' | 'active' | 'description'>

export const templateOptions = (templates: readonly Template[]): Option[] =>
  templates.map(({ id, name, active }) => ({ value: id, label: name, disabled: !active }))

/** Under the field: what the chosen template is for. */
export const templateHelp = (templates: readonly Template[], chosen: string): string =>
  templates.find(({ id }) => id === chosen)?.description || 'The settings the instance starts with.'
