import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { marked } from 'marked'
import { anchorOf } from '../handbook/markdown.ts'
import { readHandbook } from '../handbook/pages.ts'

/** Pages for engineers, which the handbook does not have. Generated ones only repeat what others say. */
const others = ['*.md', 'docs/specification/**/*.md', 'docs/generated/requirements.md']

/** Returns a sentence for each link of the handbook and of the other pages that leads nowhere. */
function brokenLinks(root: string): string[] {
  const files = globSync(others, { cwd: root, exclude: ['node_modules/**'] })
  return [...readHandbook(root).problems, ...files.flatMap((file) => brokenIn(root, file))]
}

function brokenIn(root: string, file: string): string[] {
  const problems: string[] = []
  void marked.walkTokens(marked.lexer(readFileSync(join(root, file), 'utf8')), (token) => {
    if (token.type !== 'link' && token.type !== 'image') return
    const [path = '', anchor = ''] = decodeURI(token.href).split('#')
    if (/^(\w+:|\/)/.test(token.href)) return
    const target = path === '' ? join(root, file) : join(root, dirname(file), path)
    if (!existsSync(target)) problems.push(`${file}: there is no ${token.href}`)
    else if (anchor !== '' && target.endsWith('.md') && !anchorsOf(target).has(anchor))
      problems.push(`${file}: there is no anchor ${token.href}`)
  })
  return problems
}

function anchorsOf(file: string): Set<string> {
  const text = readFileSync(file, 'utf8')
  const named = [...text.matchAll(/<a id="([^"]+)">/g)].map(([, id]) => id!)
  const headings = marked.lexer(text).flatMap((token) => (token.type === 'heading' ? [String(token.text)] : []))
  return new Set([...named, ...headings.map((title) => anchorOf(title.replace(/[`*]|<[^>]*>/g, '')))])
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  const problems = brokenLinks(root)
  for (const problem of problems) console.error(problem)
  console.log(`${readHandbook(root).pages.length} pages, ${problems.length} broken links`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
