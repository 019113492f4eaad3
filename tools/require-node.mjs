// Loaded with --import before any TypeScript, which an older Node.js could not even read.
const [major] = process.versions.node.split('.')
if (Number(major) < 24) {
  console.error(
    `FlowForge needs Node.js 24 or newer, and this is ${process.versions.node}. On Linux run it through npm (npm ci, then npm start), which brings its own; elsewhere install Node.js 24.`,
  )
  process.exit(1)
}
// To read TypeScript takes a tenth of a second of each start; what it becomes is kept.
process.getBuiltinModule('node:module').enableCompileCache(`${import.meta.dirname}/../.cache/compile`)
