import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { expect, onTestFinished, test } from 'vitest'
import { keepAnswer } from './keep-answer.ts'

/** Somebody looks at a name; each reading waits for its answer. */
function watch() {
  const client = new QueryClient()
  const readings: ((answer: string) => void)[] = []
  const queryKey = ['name']
  const queryFn = () => new Promise<string>((resolve) => void readings.push(resolve))
  onTestFinished(new QueryObserver<string>(client, { queryKey, queryFn }).subscribe(() => undefined))
  return { client, readings, queryKey, shown: () => client.getQueryData(queryKey) }
}

test('a reading that began before a change does not bring back what was before it', async () => {
  const { client, readings, queryKey, shown } = watch()
  await keepAnswer(client, queryKey, 'Lena Doe')
  readings.shift()!('Lena Example')
  await expect.poll(() => readings.length).toBe(1)
  expect(shown()).toBe('Lena Doe')
  readings.shift()!('Lena D.')
  await expect.poll(shown).toBe('Lena D.')
})

test('where nothing is being read, nothing is read again', async () => {
  const { client, readings, queryKey, shown } = watch()
  readings.shift()!('Lena Example')
  await expect.poll(shown).toBe('Lena Example')
  await keepAnswer(client, queryKey, 'Lena Doe')
  expect([shown(), readings.length]).toEqual(['Lena Doe', 0])
})
