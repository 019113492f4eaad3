import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stumbles } from './words.sentences.ts'

/** A comment that begins so has no subject: "What nobody needs any more" is an unused file, "How long" a time. */
const headless = /^(What|Whatever|Of|Who|Whoever|Whom|Whose|Those|How|In which|That which|By what|With which)\b/
const comment = /\/\*\*(?<doc>[^]*?)\*\/|^[ \t]*(?<lines>\/\/.*(?:\n[ \t]*\/\/.*)*)/gm

/** A text for people that says of what, and not what happens; a question may begin so. */
const headlessText =
  /\b(?:description|summary|help|label|title)(?:=|: )\{?(['"`])(?:What|Of|Who|Whose|Those)\b(?:(?!\1).)*[^?]\1/g

/** Words with a better one, which is the field's. */
const refused = [
  { found: /\bback-ups?\b/gi, better: 'backup' },
  { found: /\bfurnish\w*/gi, better: 'install' },
  { found: /\btakeOff\b/g, better: 'begin' },
  { found: /\binquests?\b/gi, better: 'crash check' },
  { found: /\bputAside\b/g, better: 'softDelete' },
  // It meant five things.
  { found: /\bplaceOf\b/g, better: 'auditScope, location or position' },
  ...stumbles,
]
/** The machinery of the server knows the team and the person, and no other noun. Nouns of features have general words there. Driver options keep their names. */
const nouns = [
  { found: /\binstances?(?=\b|[A-Z_])/g, better: 'upstream, target or program' },
  {
    found: /\b(devices?(?!-width)|pipelines?(?!: true)|deployments?|applications(?!\/))(?=\b|[A-Z_])/g,
    better: 'target',
  },
  { found: /\b(stacks?|templates?|licen[cs]es?)\b/gi, better: 'the general word' },
]
const machinery = /^apps\/server\/src\/platform\/(?!.*\.test\.ts$)/
/** Kept as they are: the documents' words, records of decisions, migrations that ran, and this file. */
const free =
  /^docs\/(specification|generated|decisions)\/|^apps\/server\/migrations\/|^tools\/check\/words(\.test|\.sentences)?\.ts$/

export interface Text {
  path: string
  text: string
}

/** Finds comments without a subject, refused words, and nouns of features in the machinery: one sentence a fault. */
export function judgeWords(files: readonly Text[]): string[] {
  return files.flatMap(({ path, text }) => {
    const at = (index: number) => `${path}:${text.slice(0, index).split('\n').length}`
    const comments = path.endsWith('.md') ? [] : [...text.matchAll(comment)]
    const words = [...refused, ...(machinery.test(path) ? nouns : [])].flatMap(({ found, better }) =>
      [...text.matchAll(found)].map(({ 0: word, index }) => `${at(index)}: write "${better}" for "${word}"`),
    )
    return [
      ...comments
        .filter(({ groups }) => headless.test(plain(groups?.['doc'] ?? groups?.['lines'] ?? '')))
        .map((found) => `${at(found.index)}: this comment has no subject`),
      ...[...text.matchAll(headlessText)].map(({ index }) => `${at(index)}: this text has no subject`),
      ...words,
    ]
  })
}

const plain = (text: string) => text.replace(/^[\s/*]+/, '')

function readTexts(root: string): Text[] {
  return execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.js', '*.mjs', '*.md'], {
    cwd: root,
  })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && !free.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

if (import.meta.main) {
  const files = readTexts(join(import.meta.dirname, '../..'))
  const faults = judgeWords(files)
  for (const fault of faults) console.error(fault)
  console.log(`${files.length} files: comments have a subject, and words are the field's`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
