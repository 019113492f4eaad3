import './node20.ts'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 16)) {
  process.stderr.write(
    `flowforge-agent: Node.js 20.16 or newer is needed, and this is ${process.versions.node} (node_too_old)\n`,
  )
  process.exit(1)
}
const { run } = await import('./cli.ts')
process.exit(await run(process.argv.slice(2)))
