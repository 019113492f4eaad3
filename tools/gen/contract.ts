import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../packages/contract/src')
const written = ['index.ts', 'routes.ts']

interface Source {
  name: string
  text: string
}

function sources(): Source[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !written.includes(name))
    .sort()
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}

/** The text of index.ts for these files of the contract: everything that they export. */
function indexText(files: readonly Source[]): string {
  const names = [...files.map(({ name }) => name), 'routes.ts'].sort()
  return `// Written by \`npm run gen\`.\n${names.map((name) => `export * from './${name}'\n`).join('')}`
}

/** The text of routes.ts for these files: all constants whose names end in Routes, joined. */
function routesText(files: readonly Source[]): string {
  const groups = files.flatMap(({ name, text }) =>
    [...text.matchAll(/^export const (\w+Routes) = /gm)].map(([, group]) => ({ name, group })),
  )
  return `// Written by \`npm run gen\` from the files of this folder.
${groups.map(({ name, group }) => `import { ${group} } from './${name}'\n`).join('')}
/** Every route of the platform, by id. A call without an entry here does not exist. */
export const routes = {
${groups.map(({ group }) => `  ...${group},\n`).join('')}}
export type Routes = typeof routes
export type RouteId = keyof Routes

/** The ids of one noun, for example RouteIdOf<'team'>. */
export type RouteIdOf<Noun extends string> = Extract<RouteId, \`\${Noun}.\${string}\`>
`
}

/** The files that list what the contract holds, by their path from the root. */
export const contractFiles: Record<string, () => string> = {
  'packages/contract/src/index.ts': () => indexText(sources()),
  'packages/contract/src/routes.ts': () => routesText(sources()),
}

// Before gen.ts, which reads the contract.
if (import.meta.main)
  for (const [path, make] of Object.entries(contractFiles)) {
    const file = join(import.meta.dirname, '../..', path)
    const text = make()
    if (readFileSync(file, 'utf8') === text) continue
    writeFileSync(file, text)
    console.log(`written: ${path}`)
  }
