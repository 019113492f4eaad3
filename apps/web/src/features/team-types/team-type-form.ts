import type { TeamType, TeamTypeInput } from '@app/contract'
import { limitOf, type TeamFeature, teamFeatures, type TeamTypeProperties } from '@app/contract/team-types'

/** A team type as its form holds it: numbers are text, and empty is no limit. */
export interface TypeValues {
  name: string
  description: string
  active: boolean
  order: string
  userLimit: string
  runtimeLimit: string
  deviceLimit: string
  /** By the id of an instance type. */
  instanceTypes: Record<string, { allowed: boolean; limit: string }>
  features: Record<TeamFeature, boolean>
  userCost: string
  deviceCost: string
  deviceFreeAllocation: string
  billingDescription: string
}

export const featureLabels: Record<TeamFeature, string> = {
  'shared-library': 'Library',
  'devops-pipelines': 'DevOps Pipelines',
  ha: 'High Availability',
  devices: 'Devices',
}

const limitText = (limit: number | undefined) => String(limitOf(limit) ?? '')
const dollars = (cents: number | undefined) => (cents ? (cents / 100).toFixed(2).replace(/\.00$/, '') : '')

/** The values to begin with. */
export function valuesOf(type: TeamType | undefined, instanceTypes: readonly { id: string }[]): TypeValues {
  const properties = type?.properties ?? {}
  return {
    name: type?.name ?? '',
    description: type?.description ?? '',
    active: type?.active ?? true,
    order: String(type?.order ?? 1),
    userLimit: limitText(properties.userLimit),
    runtimeLimit: limitText(properties.runtimeLimit),
    deviceLimit: limitText(properties.deviceLimit),
    instanceTypes: Object.fromEntries(
      instanceTypes.map(({ id }) => {
        const rule = properties.instanceTypes?.[id]
        return [id, { allowed: rule?.allowed ?? true, limit: limitText(rule?.limit) }]
      }),
    ),
    features: Object.fromEntries(
      teamFeatures.map((name) => [name, properties.features?.[name] !== false]),
    ) as TypeValues['features'],
    userCost: dollars(properties.billing?.userCost),
    deviceCost: dollars(properties.billing?.deviceCost),
    deviceFreeAllocation: properties.deviceFreeAllocation ? String(properties.deviceFreeAllocation) : '',
    billingDescription: properties.billingDescription ?? '',
  }
}

const isWhole = (text: string) => /^\d*$/.test(text.trim())
const isPrice = (text: string) => /^(\d+([.,]\d{1,2})?)?$/.test(text.trim())
/** The most that counts and US$ may be; the contract has the latter in cents. */
const largest = 1_000_000
const isTooMuch = (text: string) => Number(text.trim().replace(',', '.')) > largest
/** A limit of 0 would be none, and let teams have as many as they like. */
const isNone = (text: string) => /^0+$/.test(text.trim())
const wholeOnly = 'Enter a whole number, or nothing'
const someOnly = 'Enter at least 1, or nothing for no limit'
const untickInstead = 'Enter at least 1. Untick the type to allow none'
const priceOnly = 'Enter an amount such as 15 or 15.50, or nothing'
const atMost = `Enter at most ${largest.toLocaleString('en')}`

/** The faults that keep the form from being sent, by field. */
export function faultsOf(values: TypeValues): Record<string, string> {
  const { userLimit, runtimeLimit, deviceLimit, deviceFreeAllocation, userCost, deviceCost } = values
  const faults: Record<string, string> = {}
  for (const [field, text] of Object.entries({ userLimit, runtimeLimit, deviceLimit }))
    if (isNone(text)) faults[`properties.${field}`] = someOnly
  for (const [field, text] of Object.entries({ userLimit, runtimeLimit, deviceLimit, deviceFreeAllocation }))
    if (!isWhole(text)) faults[`properties.${field}`] = wholeOnly
    else if (isTooMuch(text)) faults[`properties.${field}`] = atMost
  for (const [field, text] of Object.entries({ userCost, deviceCost }))
    if (!isPrice(text)) faults[`properties.billing.${field}`] = priceOnly
    else if (isTooMuch(text)) faults[`properties.billing.${field}`] = atMost
  for (const [id, { allowed, limit }] of Object.entries(values.instanceTypes)) {
    if (!allowed) continue
    if (!isWhole(limit)) faults[`properties.instanceTypes.${id}`] = wholeOnly
    else if (isNone(limit)) faults[`properties.instanceTypes.${id}`] = untickInstead
    else if (isTooMuch(limit)) faults[`properties.instanceTypes.${id}`] = atMost
  }
  if (!/^-?\d{1,4}$/.test(values.order.trim())) faults.order = 'Enter a whole number from -9999 to 9999'
  return faults
}

const whole = (text: string) => (text.trim() === '' ? undefined : Number(text))
const cents = (text: string) => (text.trim() === '' ? undefined : Math.round(Number(text.replace(',', '.')) * 100))

/** Only what differs from a type without limits, so that a new instance type or feature is there for all. */
function propertiesOf(values: TypeValues): TeamTypeProperties {
  const rules = Object.entries(values.instanceTypes).flatMap(([id, { allowed, limit }]) => {
    const most = isWhole(limit) ? limitOf(whole(limit)) : undefined
    if (allowed && most === undefined) return []
    return [[id, { allowed, ...(most === undefined ? {} : { limit: most }) }] as const]
  })
  const off = teamFeatures.filter((name) => !values.features[name])
  const limits = {
    userLimit: limitOf(whole(values.userLimit)),
    runtimeLimit: limitOf(whole(values.runtimeLimit)),
    deviceLimit: limitOf(whole(values.deviceLimit)),
    deviceFreeAllocation: limitOf(whole(values.deviceFreeAllocation)),
  }
  const costs = { userCost: limitOf(cents(values.userCost)), deviceCost: limitOf(cents(values.deviceCost)) }
  const given = <T extends object>(fields: T) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
  return {
    ...given(limits),
    ...(rules.length > 0 ? { instanceTypes: Object.fromEntries(rules) } : {}),
    ...(off.length > 0 ? { features: Object.fromEntries(off.map((name) => [name, false])) } : {}),
    ...(Object.keys(given(costs)).length > 0 ? { billing: given(costs) } : {}),
    ...(values.billingDescription.trim() === '' ? {} : { billingDescription: values.billingDescription.trim() }),
  }
}

/** The body of the call that saves these values. */
export function bodyOf(
  values: TypeValues,
  before: TeamType | undefined,
): TeamTypeInput & { properties: TeamTypeProperties } {
  const { name, description, active, order } = values
  const properties = propertiesOf(values)
  // Billing fields that the form does not show stay as they are.
  const { userCost: _user, deviceCost: _device, ...more } = before?.properties.billing ?? {}
  const billing = { ...more, ...properties.billing }
  return {
    name: name.trim(),
    description,
    active,
    order: Number(order),
    properties: { ...properties, ...(Object.keys(billing).length > 0 ? { billing } : {}) },
  }
}
