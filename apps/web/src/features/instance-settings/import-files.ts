const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isNode = (value: unknown) => isObject(value) && 'id' in value && 'type' in value

/** Why a file cannot be imported; undefined when it can [INST-49] [INST-50]. */
export function fileFault(text: string, kind: 'flows' | 'credentials'): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    if (kind === 'flows')
      return Array.isArray(parsed) && parsed.every(isNode) ? undefined : 'Does not look like a flow file'
    return isObject(parsed) && !Array.isArray(parsed) ? undefined : 'Does not look like a credentials file'
  } catch {
    return 'Not JSON'
  }
}
