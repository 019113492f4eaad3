import { expect, test } from 'vitest'
import { parseMarkdown } from './markdown.ts'

const text = (value: string) => ({ kind: 'text', text: value })

test('[ATYPE-18] bold, italic, code and links are told from the text around them', () => {
  expect(parseMarkdown('A **big _one_** with `x*y` and [a *page*](https://example.com/a?b=1)')).toEqual([
    {
      kind: 'paragraph',
      parts: [
        text('A '),
        { kind: 'bold', parts: [text('big '), { kind: 'italic', parts: [text('one')] }] },
        text(' with '),
        { kind: 'code', text: 'x*y' },
        text(' and '),
        {
          kind: 'link',
          to: 'https://example.com/a?b=1',
          parts: [text('a '), { kind: 'italic', parts: [text('page')] }],
        },
      ],
    },
  ])
})

test('headings, lists, quotes, code and paragraphs', () => {
  const source = '# Big\nRoom\nfor it\n\n- one\n  more\n- two\n1. first\n\n> said\n```js\n**raw**\n```\nafter'
  expect(parseMarkdown(source)).toEqual([
    { kind: 'heading', parts: [text('Big')] },
    { kind: 'paragraph', parts: [text('Room\nfor it')] },
    { kind: 'list', ordered: false, items: [[text('one'), text(' more')], [text('two')]] },
    { kind: 'list', ordered: true, items: [[text('first')]] },
    { kind: 'quote', parts: [text('said')] },
    { kind: 'code', text: '**raw**' },
    { kind: 'paragraph', parts: [text('after')] },
  ])
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[x](javascript:alert)',
  '[x](data:text/html;base64,AA)',
  '[x](//evil.example)',
  'snake_case_name and 2 * 3 * 4',
])('%s stays text', (source) => {
  expect(parseMarkdown(source)).toEqual([{ kind: 'paragraph', parts: [text(source)] }])
})

test('a long text without an end to what it opens is read at once', () => {
  expect(parseMarkdown('*a '.repeat(3_000)).length).toBe(1)
})
