/** An older Node.js lacks parts that the runtime of instances needs. */
const least = [22, 18] as const
const own = '24.21.0'

/** The Node.js under which an agent of this platform runs Node-RED: that of the machine, or a newer one that it downloads. */
export function nodejsOfNodeRed(machine: string): string {
  const [, major = 0, minor = 0] = (/^v?(\d+)\.(\d+)/.exec(machine) ?? []).map(Number)
  return major > least[0] || (major === least[0] && minor >= least[1]) ? machine : own
}
