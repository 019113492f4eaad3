import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const call = /\bfail\(\s*'(\w+)',\s*('(?:[^'\\]|\\.)*'|`[^`]*`)/g

/** Returns the sentences that the server may answer with a code, besides the usual one. Where a value stands in one there is an ellipsis. */
export function sentencesByCode(root: string): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  const files = globSync('apps/server/src/**/*.ts', { cwd: root }).filter((path) => !path.includes('.test.'))
  for (const file of files.sort())
    for (const [, code = '', literal = ''] of readFileSync(join(root, file), 'utf8').matchAll(call)) {
      const sentence = literal.slice(1, -1).replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
      // A text that is all value, or the name of a field before its fault, tells nothing here.
      if (!/^(…|\w+: Required)$/.test(sentence)) found.set(code, (found.get(code) ?? new Set()).add(sentence))
    }
  return new Map([...found].map(([code, sentences]) => [code, [...sentences].sort()]))
}
