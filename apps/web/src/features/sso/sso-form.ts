import type { SsoProvider, SsoProviderPatch } from '@app/contract'
import { ssoOptions } from '@app/contract/sso-options'
import * as z from 'zod/mini'
import { ApiError } from '../../lib/api.ts'
import { requiredName } from '../../lib/required-name.ts'
import { secretNames, type SwitchName, switchNames, switchOptions, type TextName, textNames } from './sso-options.ts'

type Type = SsoProvider['type']

const name = requiredName('Required field')
const anyDomain = z.string().check(z.trim(), z.maxLength(254, 'At most 254 characters'))
const someDomain = anyDomain.check(z.minLength(1, 'Required field'))

/** People choose a provider of OpenID Connect by a button, so it may do without a domain. */
const domainOf = (type: Type) => (type === 'oidc' ? anyDomain : someDomain)

export interface NewProvider {
  name: string
  domainFilter: string
}
export const newProvider = (type: Type): z.ZodMiniType<NewProvider, NewProvider> =>
  z.object({ name, domainFilter: domainOf(type) })

/** The options of all types: those of other types stay empty, and are not sent. */
export type ProviderForm = NewProvider & { active: boolean; dropSecret: boolean } & Record<TextName, string> &
  Record<SwitchName, boolean>

const allTexts = [...new Set(Object.values(textNames).flat())] as TextName[]
const each = <N extends string, V>(names: readonly N[], of: (one: N) => V): Record<N, V> =>
  Object.fromEntries(names.map((one) => [one, of(one)])) as Record<N, V>

/** The rule of an option of this type, so that its fault is named with all others before anything is sent. */
const ruleOf = (type: Type, one: TextName) => {
  const rules: Partial<Record<string, z.ZodMiniType>> = ssoOptions[type].options
  return (rules[one] ?? z.string()) as z.ZodMiniType<string, string>
}

export const providerForm = (type: Type): z.ZodMiniType<ProviderForm, ProviderForm> =>
  z.object({
    name,
    domainFilter: domainOf(type),
    active: z.boolean(),
    dropSecret: z.boolean(),
    ...each(allTexts, (one) => ruleOf(type, one)),
    ...each(switchNames, () => z.boolean()),
  })

const isSecret = (one: TextName): boolean => (secretNames as readonly TextName[]).includes(one)

export function valuesOf({ name, domainFilter, active, options }: SsoProvider): ProviderForm {
  const textOf = (one: TextName) => {
    const value = options[one]
    return typeof value === 'string' ? value : ''
  }
  return {
    name,
    domainFilter: domainFilter ?? '',
    active,
    dropSecret: false,
    ...each(allTexts, textOf),
    ...each(switchNames, (one) => options[one] ?? false),
  }
}

/** The change that the form asks for. A secret is sent when a new one was typed, or the saved one is to go. */
export function patchOf(type: Type, values: ProviderForm): SsoProviderPatch {
  const { name, domainFilter, active, dropSecret } = values
  const texts = textNames[type].flatMap((one) => {
    const value = isSecret(one) ? values[one] : values[one].trim()
    return isSecret(one) && value === '' && !dropSecret ? [] : [[one, value]]
  })
  const switches = switchOptions[type].map((one) => [one.name, values[one.name]])
  const options = Object.fromEntries([...texts, ...switches]) as SsoProviderPatch['options']
  return { name, domainFilter: domainFilter === '' ? null : domainFilter, active, options }
}

/** The sentences of a refusal by the fields of the form, which has the options beside the rest. */
export function faultsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const fields = Object.entries(error.fields).map(([field, text]) => [field.replace(/^options\./, ''), text] as const)
  return fields.length > 0 ? Object.fromEntries(fields) : { root: error.message }
}
