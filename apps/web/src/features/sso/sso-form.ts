import type { SsoProvider, SsoProviderPatch } from '@app/contract'
import { limits } from '@app/contract/constants'
import * as z from 'zod/mini'
import { ApiError } from '../../lib/api.ts'

const filled = (max: number) =>
  z.string().check(z.trim(), z.minLength(1, 'Required field'), z.maxLength(max, `At most ${max} characters`))
const name = filled(limits.nameMax)
const domainFilter = filled(254)

export const NewProvider = z.object({ name, domainFilter })
export type NewProvider = z.infer<typeof NewProvider>

const texts = ['entryPoint', 'idpIssuer', 'cert', 'nextCert', 'groupsAttribute'] as const
export const switches = [
  {
    name: 'createAccounts',
    label: 'Create accounts at the first sign-in',
    help: 'Otherwise only people with an invitation get one.',
  },
  {
    name: 'skipSecondFactor',
    label: 'The provider asks for a second factor',
    help: 'Second factors of FlowForge are not asked for at this sign-in.',
  },
  {
    name: 'idpInitiated',
    label: 'The provider may begin a sign-in',
    help: 'For tiles in the portal of the provider. Less safe: links can sign people in as somebody else.',
  },
] as const

export const ProviderForm = z.object({
  name,
  domainFilter,
  entryPoint: z.string(),
  idpIssuer: z.string(),
  cert: z.string(),
  nextCert: z.string(),
  groupsAttribute: z.string(),
  createAccounts: z.boolean(),
  skipSecondFactor: z.boolean(),
  idpInitiated: z.boolean(),
  active: z.boolean(),
})
export type ProviderForm = z.infer<typeof ProviderForm>

export function valuesOf({ name, domainFilter, active, options }: SsoProvider): ProviderForm {
  return {
    name,
    domainFilter: domainFilter ?? '',
    active,
    entryPoint: options.entryPoint ?? '',
    idpIssuer: options.idpIssuer ?? '',
    cert: options.cert ?? '',
    nextCert: options.nextCert ?? '',
    groupsAttribute: options.groupsAttribute ?? '',
    createAccounts: options.createAccounts ?? false,
    skipSecondFactor: options.skipSecondFactor ?? false,
    idpInitiated: options.idpInitiated ?? false,
  }
}

export function patchOf({ name, domainFilter, active, ...values }: ProviderForm): SsoProviderPatch {
  const options = Object.fromEntries(texts.map((one) => [one, values[one].trim()]))
  const { createAccounts, skipSecondFactor, idpInitiated } = values
  return { name, domainFilter, active, options: { ...options, createAccounts, skipSecondFactor, idpInitiated } }
}

/** The sentences of a refusal by the fields of the form, which has the options beside the rest. */
export function faultsOf(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {}
  const fields = Object.entries(error.fields).map(([field, text]) => [field.replace(/^options\./, ''), text] as const)
  return fields.length > 0 ? Object.fromEntries(fields) : { root: error.message }
}
