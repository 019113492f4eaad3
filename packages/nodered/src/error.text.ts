/** A message of Node-RED's log as its own console prints it: of an error its name and its message. */
export function textOf(msg: unknown): string {
  const text = plain(msg)
  const { message } = (msg ?? {}) as { message?: unknown }
  return text === '[object Object]' && typeof message === 'string' ? message : text
}

/** The same, followed by the lines of the stack of an error. */
export function tracedText(msg: unknown): string {
  const { stack } = (msg ?? {}) as { stack?: unknown }
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : []
  return [textOf(msg), ...frames].join('\n')
}

/** A message without a text of its own, or one that fails to give it, must not end the process that logs it. */
function plain(msg: unknown): string {
  try {
    return String(msg)
  } catch {
    return Object.prototype.toString.call(msg)
  }
}
