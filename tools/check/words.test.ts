import { expect, test } from 'vitest'
import { judgeWords } from './words.ts'

test('a comment without a subject is found, with its line', () => {
  const text = [
    'const a = 1',
    '/** What nobody needs. */',
    'const b = 2',
    '  // Of the second.',
    'const c = 3',
    '/**',
    ' * Who asks.',
    ' */',
    '/** How long a start may take. */',
    '// How it is started: by hand.',
    'const d = 4',
    '// Whoever asks.',
    'const e = 5',
    '// Whatever it holds.',
    'const f = 6',
    '// Whom it names.',
    'const g = 7',
    '// By what it is known.',
    'const h = 8',
    '// With which it signs.',
  ].join('\n')
  expect(judgeWords([{ path: 'a.ts', text }])).toEqual([
    'a.ts:2: this comment has no subject',
    'a.ts:4: this comment has no subject',
    'a.ts:6: this comment has no subject',
    'a.ts:9: this comment has no subject',
    'a.ts:10: this comment has no subject',
    'a.ts:12: this comment has no subject',
    'a.ts:14: this comment has no subject',
    'a.ts:16: this comment has no subject',
    'a.ts:18: this comment has no subject',
    'a.ts:20: this comment has no subject',
  ])
})

test('only the beginning of a comment counts', () => {
  const text =
    '/** Unused files: what nobody needs. */\n// The user\n// Who is only the second line.\nconst url = "https://What"'
  expect(judgeWords([{ path: 'a.ts', text }])).toEqual([])
})

test('a text for people without a subject is found; a question is not', () => {
  const text =
    "const a = { description: 'What it held.' }\nconst b = <Row label={`Of these ${n}`} />\ntitle: 'What is it?'"
  expect(judgeWords([{ path: 'a.ts', text }])).toEqual([
    'a.ts:1: this text has no subject',
    'a.ts:2: this text has no subject',
  ])
})

test('a private name is found, with the name of the field', () => {
  const text = 'const at = placeOf(team)\nfurnishes(at)\nplaces.push(placed)'
  expect(judgeWords([{ path: 'a.ts', text }])).toEqual([
    'a.ts:2: write "install" for "furnishes"',
    'a.ts:1: write "auditScope, location or position" for "placeOf"',
  ])
})

test('a refused word is found in code and in documents, with the better one', () => {
  const code = "const title = 'Back-ups'"
  expect(judgeWords([{ path: 'a.ts', text: code }])).toEqual(['a.ts:1: write "backup" for "Back-ups"'])
  const page = '# A\n\nMake a back-up.'
  expect(judgeWords([{ path: 'README.md', text: page }])).toEqual(['README.md:3: write "backup" for "back-up"'])
})

test('the machinery of the server knows no noun of a feature; what only sounds like one stays', () => {
  const text = [
    '/** The host of an instance. */',
    'const instanceDomain = devices_of(applications)',
    'if (error instanceof Error) type(FastifyInstance, "application/json", "width=device-width")',
  ].join('\n')
  expect(judgeWords([{ path: 'apps/server/src/platform/a.ts', text }])).toEqual([
    'apps/server/src/platform/a.ts:1: write "upstream, target or program" for "instance"',
    'apps/server/src/platform/a.ts:2: write "upstream, target or program" for "instance"',
    'apps/server/src/platform/a.ts:2: write "target" for "devices"',
    'apps/server/src/platform/a.ts:2: write "target" for "applications"',
  ])
  expect(judgeWords([{ path: 'apps/server/src/features/a/a.ts', text }])).toEqual([])
  expect(judgeWords([{ path: 'apps/server/src/platform/a.test.ts', text }])).toEqual([])
})

test('a sentence that readers stumble over does not come back, on screens, in comments or on pages', () => {
  const code = "const note = 'Machines elsewhere that run flows of your team.'\n// Looked at just now."
  expect(judgeWords([{ path: 'a.ts', text: code }])).toEqual([
    'a.ts:1: write "computer outside this server" for "Machines elsewhere"',
    'a.ts:2: write "Checked just now." for "Looked at just now"',
  ])
  const page = 'A device is a machine elsewhere.'
  expect(judgeWords([{ path: 'docs/a.md', text: page }])).toEqual([
    'docs/a.md:1: write "computer outside this server" for "a machine elsewhere"',
  ])
})
