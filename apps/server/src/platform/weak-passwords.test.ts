import { expect, test } from 'vitest'
import { weaknessOf } from './weak-passwords.ts'

const alice = ['alice-liddell', 'alice.liddell@example.com', 'Alice Liddell', 'FlowForge']

test.each(['password', 'Password1', 'iloveyou', 'QWERTYUIOP', '1234567890', 'trustno1', 'aaaaaaaaaaaaaaaaaaaaaaaa'])(
  '%s is known from breaches',
  async (password) => {
    expect(await weaknessOf(password, alice)).toMatch(/breaches/)
  },
)

test.each(['alice-liddell', 'Alice.Liddell', 'AliceLiddell99', '2026aliceliddell!', 'FlowForge', 'flow-forge-1'])(
  '%s is a name that everybody knows',
  async (password) => {
    expect(await weaknessOf(password, alice)).toMatch(/name/)
  },
)

test.each([
  'correct horse battery',
  'alice likes liddell',
  'пароль-не-из-списка',
  'x'.repeat(4) + 'y'.repeat(4),
  'all lower case and nothing else',
])('no rule of composition: "%s" will do', async (password) => {
  expect(await weaknessOf(password, alice)).toBeUndefined()
})

test('short names of the owner forbid nothing', async () => {
  expect(await weaknessOf('al', ['al'])).toBeUndefined()
})

test('a check is a look into a table: ten thousand are done in seconds', async () => {
  await weaknessOf('warm', [])
  const begin = performance.now()
  for (let i = 0; i < 10_000; i++) await weaknessOf(`guess number ${i}`, alice)
  expect(performance.now() - begin).toBeLessThan(5_000)
})
