import * as z from 'zod/mini'
import { Id, text } from './primitives.ts'
import { roles } from './roles.ts'
import { may, route } from './route.ts'
import { behind } from './switches.ts'

/** So many rules a provider has at most. */
const rulesMax = 200

const Group = text(1024)
/** The number of a role in a team or in an application, or that of an administrator. */
const RuleRole = z.union([
  z.literal(roles.dashboard),
  z.literal(roles.viewer),
  z.literal(roles.member),
  z.literal(roles.owner),
  z.literal(roles.admin),
])

const Named = z.object({ id: Id, name: z.string() })

/**
 * A rule as it is read: everybody in the group has the role in the team, or in this application of it alone; without a
 * team, everybody in it is an administrator.
 */
export const SsoRule = z.object({
  /** As the provider sends it, letter by letter. */
  group: z.string(),
  team: z.nullable(Named),
  application: z.nullable(Named),
  role: z.number(),
})
export type SsoRule = z.infer<typeof SsoRule>

export const SsoRuleInput = z.object({
  group: Group,
  team: z.nullable(Id),
  /** One application of the team, which the role is for; absent or null: the whole team. */
  application: z.optional(z.nullable(Id)),
  role: RuleRole,
})
export type SsoRuleInput = z.infer<typeof SsoRuleInput>

const Rules = z.object({
  rules: z.array(SsoRuleInput).check(z.maxLength(rulesMax, `At most ${rulesMax} rules`)),
})
const reply = z.object({ count: z.number(), rules: z.array(SsoRule) })
const params = z.object({ providerId: Id })
const path = '/ee/sso/providers/:providerId/rules'
const example = {
  rules: [
    { group: 'bakers', team: 'mGyR3wQk2p', role: roles.member },
    { group: 'oven fitters', team: 'mGyR3wQk2p', application: 'Qk2pmGyR3w', role: roles.viewer },
  ],
}

/** Rules by which groups of a provider become roles in teams and applications, and the right of administrators. */
export const ssoRulesRoutes = behind('sso', {
  'ssoRules.list': route({
    method: 'GET',
    path,
    summary: 'The rules for groups of a provider',
    access: may('saml-provider:read', 'platform'),
    params,
    reply,
    errors: [],
  }),
  'ssoRules.replace': route({
    method: 'PUT',
    path,
    summary: 'Replace the rules for groups of a provider. They count from the next sign-in of each person',
    access: may('saml-provider:edit', 'platform'),
    params,
    body: Rules,
    reply,
    errors: ['invalid_request'],
    audit: 'platform.sso.rules.updated',
    example: { body: example },
  }),
  'ssoRules.try': route({
    method: 'POST',
    path: `${path}/try`,
    summary: 'The effects that rules would have on a kept sign-in. Nothing is saved',
    access: may('saml-provider:edit', 'platform'),
    params,
    body: z.extend(Rules, { signIn: Id }),
    reply: z.object({ effects: z.array(z.string()) }),
    errors: ['invalid_request'],
    example: { body: { ...example, signIn: 'b7Rk2mGyQp' } },
  }),
})
