import { build } from 'rolldown'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { version } from '../../apps/server/src/version.ts'
import { type Assets, notFoundHtml, pageHtml } from './layout.ts'
import { readHandbook } from './pages.ts'
import { searchIndex } from './search.ts'
import { tokenStyles } from './styles.ts'

const require = createRequire(import.meta.url)
/** Narrow screens come last, because they change what the others say. */
const sheets = ['frame.css', 'text.css', 'parts.css', 'narrow.css']

/**
 * Writes the handbook into `folder`: a page for each file of docs/, the API reference, styles, scripts and the search index.
 * @throws Error with every link and picture that leads nowhere.
 */
export async function writeHandbook(root: string, folder: string): Promise<void> {
  const { chapters, pages, problems } = readHandbook(root)
  if (problems.length > 0) throw new Error(`The handbook could not be built.\n${problems.join('\n')}`)
  rmSync(folder, { recursive: true, force: true })
  const write = (path: string, content: string | Uint8Array) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  /** Its content is in the name, so browsers may keep it for ever. */
  const asset = (name: string, content: string | Uint8Array) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10)
    const path = `assets/${name.replace(/\.(\w+)$/, `-${hash}.$1`)}`
    write(path, content)
    return `/docs/${path}`
  }

  const own = (name: string) => readFileSync(join(root, 'apps/web/handbook', name), 'utf8')
  const face = asset(
    'inter.woff2',
    readFileSync(require.resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')),
  )
  const mono = asset(
    'mono.woff2',
    readFileSync(require.resolve('@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2')),
  )
  const style = `${tokenStyles(root)}\n${sheets.map(own).join('\n')}`
    .replace('INTER_FILE', face)
    .replace('MONO_FILE', mono)
  const assets: Assets = {
    style: asset('handbook.css', style),
    theme: asset('theme.js', own('theme.js')),
    script: asset('handbook.js', await bundled(join(root, 'apps/web/handbook/main.ts'))),
    search: asset('search.json', searchIndex(pages)),
    face,
  }
  const frame = { chapters, assets, version }
  for (const page of pages) write(`${page.slug || 'index'}.html`, pageHtml(frame, page))
  write('404.html', notFoundHtml(frame))
  cpSync(join(root, 'docs/images'), join(folder, 'images'), {
    recursive: true,
    filter: (path) => !path.endsWith('.md'),
  })
}

async function bundled(input: string): Promise<string> {
  const { output } = await build({ input, write: false, logLevel: 'silent', output: { minify: true } })
  return output[0].code
}
