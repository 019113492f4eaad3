import { expect, test } from 'vitest'
import { interviewOf } from './interview.ts'

const payload = { invitationTitle: 'Talk to us', invitationBody: 'Half an hour.', bookingLink: 'https://example.com/b' }

test('the first flag by name that begins with interview- is the one, with words of its own or ours', () => {
  const payloads = {
    'interview-b': { ...payload, closeText: 'No', bookText: 'Yes' },
    'interview-a': JSON.stringify(payload),
    other: payload,
  }
  const find = (...flags: (keyof typeof payloads)[]) =>
    interviewOf(new Map(flags.map((flag) => [flag, payloads[flag]])))
  expect(find('other')).toBeUndefined()
  expect(find()).toBeUndefined()
  expect(find('interview-b', 'interview-a')).toEqual({
    flag: 'interview-a',
    ...payload,
    closeText: 'Close',
    bookText: 'Book Now',
  })
  expect(find('other', 'interview-b')).toMatchObject({ closeText: 'No', bookText: 'Yes' })
})

test.each([
  ['no payload', undefined],
  ['no title', { ...payload, invitationTitle: '' }],
  ['no body', { ...payload, invitationBody: undefined }],
  ['no link', { ...payload, bookingLink: undefined }],
  ['a link that runs a script', { ...payload, bookingLink: 'javascript:alert(1)' }],
  ['a text that is no JSON', '{'],
])('with %s nothing is shown', (_what, given) => {
  expect(interviewOf(new Map([['interview-a', given]]))).toBeUndefined()
})
