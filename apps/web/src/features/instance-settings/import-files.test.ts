import { expect, test } from 'vitest'
import { fileFault } from './import-files.ts'

test('[INST-49] [INST-50] files that cannot be what they should be are refused before they are sent', () => {
  expect(fileFault('some text', 'flows')).toBe('Not JSON')
  expect(fileFault('{"id":1}', 'flows')).toBe('Does not look like a flow file')
  expect(fileFault('["a"]', 'flows')).toBe('Does not look like a flow file')
  expect(fileFault('[{"type":"tab"}]', 'flows')).toBe('Does not look like a flow file')
  expect(fileFault('[]', 'flows')).toBeUndefined()
  expect(fileFault('[{"id":"a","type":"tab"}]', 'flows')).toBeUndefined()
  expect(fileFault('some text', 'credentials')).toBe('Not JSON')
  expect(fileFault('[]', 'credentials')).toBe('Does not look like a credentials file')
  expect(fileFault('{"$":"x"}', 'credentials')).toBeUndefined()
})
