/** A problem that a person can mend. `message` says what happened and what to do; `code` names it for programs. */
export class AgentError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'AgentError'
    this.code = code
  }
}

/** Code and sentence of anything thrown. */
export function explained(error: unknown): { code: string; message: string } {
  const { code, message } = error as Partial<NodeJS.ErrnoException>
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return { code: 'disk_full', message: 'The disk of the device is full. Free some space.' }
  return {
    code: typeof code === 'string' ? code : 'unexpected_error',
    message: (message ?? String(error)).split('\n', 1)[0]!.slice(0, 500),
  }
}
