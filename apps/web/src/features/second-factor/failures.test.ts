import { expect, test } from 'vitest'
import { ApiError } from '../../lib/api.ts'
import { fieldErrorsOf } from './failures.ts'

const refusal = (status: number, code: string, fields: Record<string, string> = {}) =>
  new ApiError(status, { code, error: 'No', message: 'No', statusCode: status, fields })

test('a refusal shows beside the field it names when the form has it, else above the form', () => {
  expect(fieldErrorsOf(refusal(400, 'invalid_code', { password: 'Wrong' }), ['password'])).toEqual({
    password: 'Wrong',
  })
  expect(fieldErrorsOf(refusal(400, 'invalid_request', { 'proof.code': 'Long' }), ['code'])).toEqual({ code: 'Long' })
  expect(fieldErrorsOf(refusal(400, 'invalid_code', { passkey: 'No' }), ['password'])).toEqual({ root: 'No' })
})

test('too many guesses are said in words, and what the browser says as it is', () => {
  expect(fieldErrorsOf(refusal(429, 'too_many_requests'), ['code']).root).toMatch(/Wait some minutes/)
  expect(fieldErrorsOf(new Error('Closed'), ['code'])).toEqual({ root: 'Closed' })
})
