import { roles } from '@app/contract/roles'
import { type Scope, scopes } from '@app/contract/scopes'

export interface ScopeGroup {
  title: string
  scopes: { scope: Scope; means: string; reads: boolean }[]
}

const titles: [title: string, names: RegExp][] = [
  ['Instances and applications', /^project:|^team:projects:|^device:/],
  ['Pipelines', /^(application:pipelines|pipeline):/],
  ['Teams', /^team:|^invitation:|^library:/],
  ['Your account', /^user:/],
  ['Catalogue', /^(template|stack|project-type):/],
]
const reading = /:(read|list|view|log|audit-log)$/
/** Only administrators in their browser have these; no token does. */
const inPerson = (scope: Scope) => scopes[scope].minimum === roles.admin && !('self' in scopes[scope])

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** The scopes a token may carry, in groups that people think in. */
export const scopeGroups: ScopeGroup[] = titles.map(([title], at) => ({
  title,
  scopes: (Object.keys(scopes) as Scope[])
    .filter((scope) => !inPerson(scope) && titles.findIndex(([, names]) => names.test(scope)) === at)
    .map((scope) => ({ scope, means: sentence(scopes[scope].means), reads: reading.test(scope) })),
}))

/** Everything that changes nothing. */
export const readingScopes: Scope[] = scopeGroups.flatMap((group) =>
  group.scopes.filter(({ reads }) => reads).map(({ scope }) => scope),
)
