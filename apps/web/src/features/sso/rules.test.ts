import { expect, test } from 'vitest'
import { ApiError } from '../../lib/api.ts'
import { faultIn, newRow, ruleFault } from './rules.ts'

test('the first rule that is not complete is told with its field', () => {
  const whole = newRow({ group: 'bakers', target: 'team' })
  expect(faultIn([whole])).toBeUndefined()
  expect(faultIn([whole, newRow({ group: ' ', target: 'team' })])).toMatchObject({ at: 1, field: 'group' })
  expect(faultIn([newRow({ group: 'bakers' })])).toMatchObject({ at: 0, field: 'team' })
})

test('a refusal is told with the rule and the field that it is about', () => {
  const refused = (fields: Record<string, string>) =>
    new ApiError(400, { code: 'invalid_request', message: 'No such team', fields })
  expect(ruleFault(refused({ 'rules.2.team': 'There is no such team' }))).toEqual({
    at: 2,
    field: 'team',
    text: 'Rule 3: There is no such team',
  })
  expect(ruleFault(refused({}))).toEqual({ text: 'No such team' })
  expect(ruleFault(new Error('offline'))).toBeUndefined()
})
