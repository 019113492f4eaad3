import childProcess from 'node:child_process'

type ExecFile = typeof childProcess.execFile
type Done = (error: Error | null, stdout: string) => void

/**
 * While it starts, Node-RED runs the npm it was installed with only to learn that its version is 3 or newer.
 * The check is a sixth of the start and known beforehand, so the question is answered here, until the returned function
 * is called.
 */
export function answerNpmCheck(): () => void {
  const original = childProcess.execFile
  const answer = (file: string, args: string[], done: Done, ...rest: unknown[]) => {
    const asksNpm =
      file === process.execPath && args?.length === 2 && args[0]?.endsWith('npm-cli.js') && args[1] === '-v'
    if (asksNpm && typeof done === 'function') {
      process.nextTick(done, null, '10.0.0')
      return undefined
    }
    return (original as (...values: unknown[]) => unknown)(file, args, done, ...rest)
  }
  childProcess.execFile = answer as unknown as ExecFile
  return () => {
    childProcess.execFile = original
  }
}
