import { marked, type Tokens } from 'marked'

/** A page in the navigation of the handbook. */
export interface Entry {
  slug: string
  title: string
  about: string
}

/** A chapter of the handbook. */
export interface Chapter {
  title: string
  entries: Entry[]
}

/** Returns the chapters that docs/README.md lists: each heading with the links below it. */
export function chaptersOf(readme: string): Chapter[] {
  const chapters: Chapter[] = []
  for (const token of marked.lexer(readme)) {
    if (token.type === 'heading' && token.depth === 2) chapters.push({ title: token.text, entries: [] })
    if (token.type === 'list') chapters.at(-1)?.entries.push(...(token as Tokens.List).items.map(entryOf))
  }
  return chapters
}

function entryOf(item: Tokens.ListItem): Entry {
  const match = /^\[([^\]]+)\]\(([^)]+?)(?:\.md)?\):\s*([\s\S]+)$/.exec(item.text.trim())
  if (!match) throw new Error(`docs/README.md: expected "[Title](page.md): text", found "${item.text}"`)
  return { title: match[1]!, slug: match[2]!, about: match[3]!.replace(/\s+/g, ' ') }
}
