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
const marks = (state: string) => {
  const markup = drawn(state)
  return markup.includes('lucide-square') ? 'stop sign' : markup.includes('data-part="dot"') ? 'dot' : 'none'
}

test('[INST-23] every state of an instance is named, in a colour of its kind', () => {
  expect(look('running')).toEqual(['running', 'ok', false])
  expect(look('safe')).toEqual(['safe', 'warn', false])
  expect(look('error')).toEqual(['error', 'bad', false])
  expect(look('suspended')).toEqual(['suspended', 'idle', false])
  for (const state of ['stopping', 'suspending', 'restarting', 'importing', 'starting', 'loading', 'installing'])
    expect(look(state)).toEqual([state, 'busy', true])
})

test('[INST-24] [INST-25] [INST-27] no state turns, an asked for change is faint, a stopped instance is grey with a stop sign', () => {
  expect(drawn(undefined)).toContain('Loading status')
  expect(drawn('')).toContain('Loading status')
  expect(drawn('suspending', true)).toContain('border-dashed')
  expect(drawn('suspending')).not.toContain('border-dashed')
  expect([...look('stopped'), marks('stopped')]).toEqual(['stopped', 'idle', false, 'stop sign'])
  expect([...look('crashed'), marks('crashed')]).toEqual(['crashed', 'bad', false, 'dot'])
  // Everything else that the server says is neutral, too, and has no mark.
  for (const state of ['unknown', 'rollback'])
    expect([...look(state), marks(state)]).toEqual([state, 'idle', false, 'none'])
})
