import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { StatusBadge } from './StatusBadge.tsx'

const drawn = (state: string | undefined, pending = false) =>
  renderToStaticMarkup(createElement(StatusBadge, { state, pending }))
/** The word of a badge, its colour, and whether it turns. */
const look = (state: string) => {
  const markup = drawn(state)
  const [, tone] = /class="[^"]*\bbg-(\w+)-soft/.exec(markup) ?? []
  return [markup.replace(/<[^>]*>/g, ''), tone, markup.includes('animate-spin')]
}

test('[INST-23] every state of an instance is named, in a colour of its kind', () => {
  expect(look('running')).toEqual(['running', 'ok', false])
  expect(look('safe')).toEqual(['safe', 'warn', false])
  expect(look('error')).toEqual(['error', 'bad', false])
  expect(look('suspended')).toEqual(['suspended', 'idle', false])
  for (const state of ['stopping', 'suspending', 'restarting', 'importing', 'starting', 'loading', 'installing'])
    expect(look(state)).toEqual([state, 'busy', true])
})

test('[INST-24] [INST-25] [INST-27] no state turns, an asked for change is faint, a stopped instance is grey', () => {
  expect(drawn(undefined)).toContain('Loading status')
  expect(drawn('')).toContain('Loading status')
  expect(drawn('suspending', true)).toContain('border-dashed')
  expect(drawn('suspending')).not.toContain('border-dashed')
  expect(look('stopped')).toEqual(['stopped', 'idle', false])
  // One that the console does not know is neutral, too.
  expect(look('rollback')).toEqual(['rollback', 'idle', false])
  expect(look('crashed')).toEqual(['crashed', 'bad', false])
})
