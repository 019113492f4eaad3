/** Flows in which `GET /do` runs this code in a function node, and answers with its message. */
export const codeFlow = (code: string) =>
  requestFlow({ id: 'fn', z: 'tab', type: 'function', func: code, outputs: 1, wires: [['out']] })

/** The same with modules of Node.js itself at hand. */
export const nodeFlow = (code: string) =>
  codeFlow(code).map((node) =>
    (node as { id: string }).id === 'fn'
      ? { ...node, libs: ['fs', 'net', 'os', 'process'].map((module) => ({ var: module, module })) }
      : node,
  )

/** Flows in which `GET /do` runs a command of the shell, and answers with what it has printed once it has ended. */
export const shellFlow = (command: string) =>
  requestFlow({ id: 'fn', z: 'tab', type: 'exec', command, addpay: '', useSpawn: 'false', wires: [['out'], [], []] })

/** A small module without dependencies, and flows in which `GET /do` answers 7 by a node of it. */
export const diceModule = { 'node-red-node-random': '~0.4.1' }
export const diceFlow = () =>
  requestFlow({ id: 'fn', z: 'tab', type: 'random', low: '7', high: '7', inte: 'true', wires: [['out']] })

function requestFlow(node: object): object[] {
  return [
    { id: 'tab', type: 'tab', label: 'Flow' },
    { id: 'in', z: 'tab', type: 'http in', url: '/do', method: 'get', wires: [['fn']] },
    node,
    { id: 'out', z: 'tab', type: 'http response', wires: [] },
  ]
}
