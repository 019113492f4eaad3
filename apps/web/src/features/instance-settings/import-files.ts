/** Why a file cannot be imported; undefined when it can [INST-49] [INST-50]. */
export function fileFault(text: string, kind: 'flows' | 'credentials'): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text)
    return kind === 'flows' && !Array.isArray(parsed) ? 'Does not look like a flow file' : undefined
  } catch {
    return 'Not JSON'
  }
}
