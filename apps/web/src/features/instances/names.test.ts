import { InstanceName } from '@app/contract'
import { expect, test } from 'vitest'
import { randomName } from './names.ts'

test('[INST-39] a default name is adjective-bird-number with a number from 1000 to 9999', () => {
  const draws = [0, 0, 0, 0.999999, 0.999999, 0.999999]
  const random = () => draws.shift() ?? 0.5
  expect(randomName(random)).toMatch(/^amber-avocet-1000$/)
  expect(randomName(random)).toMatch(/^witty-wren-9999$/)
  for (let i = 0; i < 50; i++) expect(InstanceName.safeParse(randomName()).success).toBe(true)
})
