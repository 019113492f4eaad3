import { errors, PlatformSettings, scopes, StoredSettings, tokenKinds } from '@app/contract'
import type { Text } from './specification.rows.ts'

/** Names that the contract declares and a page of the specification explains. */
export interface Listing {
  page: string
  /** The noun for one of the names. */
  noun: string
  /** Names that the page must have. */
  required: readonly string[]
  /** Names that the page may have besides. */
  also: readonly string[]
  /** The names that the text of the page has. */
  named(text: string): string[]
}

/** The names in the first column of each table, without headings and remarks such as *(changed)*. */
export function firstCells(text: string): string[] {
  const lines = text.split('\n')
  return lines
    .filter((line, index) => /^\| [^-]/.test(line) && !/^\| ?-/.test(lines[index + 1] ?? ''))
    .flatMap((line) => (line.split('|')[1] ?? '').split(','))
    .map((cell) => cell.replace(/\*\([^)]*\)\*|`/g, '').trim())
}

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

const folder = 'docs/specification'
/** The pages whose tables would otherwise fall behind the contract. */
const listings: readonly Listing[] = [
  {
    page: `${folder}/errors.md`,
    noun: 'error code',
    required: Object.keys(errors),
    // Told in redirects and to agents, in answers that have no envelope.
    also: [
      'unknown_sso_user',
      'unsupported_response_type',
      'incorrect-project',
      'incorrect-snapshot',
      'incorrect-settings',
    ],
    named: firstCells,
  },
  {
    page: `${folder}/platform-settings.md`,
    noun: 'setting',
    required: Object.keys({ ...StoredSettings.shape, ...PlatformSettings.shape }),
    also: [],
    named: firstCells,
  },
  {
    page: `${folder}/permissions.md`,
    noun: 'prefix of tokens',
    required: Object.keys(tokenKinds),
    also: [],
    named: (text) => named(text, /`([a-z][a-z\d]*)_`/g),
  },
  {
    // Every scope is in the generated page: here are those of tokens.
    page: `${folder}/permissions.md`,
    noun: 'scope',
    required: [],
    also: Object.keys(scopes),
    named: (text) => named(text, /(?<![\w:-])([a-z-]+(?::[a-z-]+)+)(?![\w:-])/g),
  },
]

/** Returns one sentence for each name of the contract that its page lacks, and each name there that the contract lacks. */
export function judgePages(texts: Text[], lists: readonly Listing[] = listings): string[] {
  return lists.flatMap(({ page, noun, required, also, named: namesOf }) => {
    const text = texts.find(({ path }) => path === page)?.text
    if (text === undefined) return [`${page} is missing, which lists each ${noun} of the contract`]
    const there = new Set(namesOf(text))
    const known = new Set([...required, ...also])
    return [
      ...required
        .filter((name) => !there.has(name))
        .map((name) => `${page} lacks the ${noun} ${name}, which packages/contract declares: add a line`),
      ...[...there]
        .filter((name) => !known.has(name))
        .map((name) => `${page} has the ${noun} ${name}, and packages/contract does not declare it: correct the line`),
    ]
  })
}
