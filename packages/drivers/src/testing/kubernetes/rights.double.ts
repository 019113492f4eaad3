import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** One rule of a role. */
export interface Rule {
  apiGroups: string[]
  resources: string[]
  verbs: string[]
}

/** A call to the API server. `resource` is with its part, such as pods/log. */
export interface Asked {
  verb: string
  group: string
  resource: string
}

const file = join(import.meta.dirname, '../../../../../deploy/kubernetes/base/account.yaml')

/** The rights that the installation gives to the server. */
export function ownRules(): Rule[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map(
    (one) => one.toJS() as { kind: string; rules: Rule[] },
  )
  return documents.find(({ kind }) => kind === 'Role')!.rules
}

/** Does any rule allow it? */
export const isAllowed = (rules: readonly Rule[], { verb, group, resource }: Asked): boolean =>
  rules.some((rule) => rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb))
