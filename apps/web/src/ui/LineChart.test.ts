import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LineChart } from './LineChart.tsx'

const reading = (values: (number | null)[], cursor?: number) => {
  const markup = renderToStaticMarkup(
    createElement(LineChart, {
      title: 'CPU',
      values,
      format: (value: number) => `${value} %`,
      least: 10,
      timeAt: () => '10:00',
      ticks: [],
      cursor,
      onCursor: () => {},
      note: 'of a core',
    }),
  )
  return /<p[^>]*>(.*?)<\/p>/
    .exec(markup)![1]!
    .replace(/<[^>]*>/g, ' ')
    .trim()
}

test('a chart reads the value of now with its unit, and says in words where there is none', () => {
  expect(reading([3, 4, null])).toBe('4 % of a core')
  expect(reading([null, null])).toBe('No measurements')
  expect(reading([3, 4, null, null, null, null])).toBe('Not measured')
  expect(reading([3, null], 1)).toMatch(/^Not measured/)
})
