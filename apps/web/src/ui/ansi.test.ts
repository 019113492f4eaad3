import { expect, test } from 'vitest'
import { parseAnsi, stripAnsi } from './ansi.ts'

const esc = '\u001b['

test('a line without escapes is one plain run', () => {
  expect(parseAnsi('plain')).toEqual([{ text: 'plain', style: '' }])
})

test('colours become those of the theme and end at a reset', () => {
  expect(parseAnsi(`a ${esc}31mred${esc}0m b`)).toEqual([
    { text: 'a ', style: '' },
    { text: 'red', style: 'text-bad-text' },
    { text: ' b', style: '' },
  ])
})

test('bright colours count as their plain ones, and looks add up', () => {
  expect(parseAnsi(`${esc}1;92mok${esc}22m still`)).toEqual([
    { text: 'ok', style: 'text-ok-text font-bold' },
    { text: ' still', style: 'text-ok-text' },
  ])
})

test('the arguments of a 256-colour or true-colour code are not read as codes', () => {
  expect(parseAnsi(`${esc}38;5;1mx`)).toEqual([{ text: 'x', style: '' }])
  expect(parseAnsi(`${esc}38;2;1;4;31;4my`)).toEqual([{ text: 'y', style: 'underline' }])
})

test('other sequences leave nothing behind', () => {
  expect(stripAnsi(`${esc}2K${esc}1Gdone \u001b]0;title\u0007now`)).toBe('done now')
})
