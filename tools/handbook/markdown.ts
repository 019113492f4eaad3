import { Marked, type RendererObject, type Tokens } from 'marked'

/** A heading of a page, with the anchor that links to it. */
export interface Heading {
  id: string
  text: string
  depth: number
}

/** A part of a page below one heading, as search finds it. */
export interface Section {
  id: string
  title: string
  text: string
}

/** A page made of Markdown. */
export interface Rendered {
  title: string
  html: string
  headings: Heading[]
  sections: Section[]
  /** Every anchor of the page: of headings, and of table rows that begin with a code. */
  anchors: Set<string>
}

/** Conversion of links and images of the source to addresses of the handbook. */
export interface Addresses {
  /** Returns undefined for a file that the handbook does not have: its link becomes plain text. */
  link(href: string): string | undefined
  image(href: string, alt: string): string
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter]!)

/** Returns the text of a piece of HTML that this renderer wrote. */
const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Returns the anchor of a heading, as GitHub makes it. */
export const anchorOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

const noteKinds: Record<string, string> = { NOTE: 'Note', TIP: 'Tip', IMPORTANT: 'Important', WARNING: 'Warning' }

/** Renders a page of docs/, with anchors, tables, notes (`> [!NOTE]`) and images. */
export function renderMarkdown(source: string, addresses: Addresses): Rendered {
  const headings: Heading[] = []
  const anchors = new Set<string>()
  const sections: Section[] = [{ id: '', title: '', text: '' }]
  let title = ''

  function freeAnchor(text: string): string {
    const wanted = anchorOf(text)
    let id = wanted
    for (let count = 1; anchors.has(id); count++) id = `${wanted}-${count}`
    anchors.add(id)
    return id
  }
  const addText = (html: string) => {
    const text = textOf(html).replace(/\s+/g, ' ').trim()
    if (text !== '') sections.at(-1)!.text += ` ${text}`
  }

  const renderer: RendererObject = {
    heading({ tokens, depth }: Tokens.Heading) {
      const html = this.parser.parseInline(tokens)
      const text = textOf(html).trim()
      if (depth === 1) {
        title = text
        return `<h1>${html}</h1>\n`
      }
      const id = freeAnchor(text)
      headings.push({ id, text, depth })
      sections.push({ id, title: text, text: '' })
      // An anchor of another name stands before the heading: a link cannot hold one.
      const names = html.match(/<a id="[^"]+"><\/a>/g) ?? []
      const label = names.reduce((rest, name) => rest.replace(name, ''), html).trim()
      return `${names.join('')}<h${depth} id="${id}"><a class="anchor" href="#${id}">${label}</a></h${depth}>\n`
    },
    paragraph({ tokens }: Tokens.Paragraph) {
      const html = this.parser.parseInline(tokens)
      addText(html)
      return /^<(figure|picture)/.test(html) ? html : `<p>${html}</p>\n`
    },
    listitem({ tokens }: Tokens.ListItem) {
      const html = this.parser.parse(tokens)
      if (!html.includes('<p>')) addText(html)
      return `<li>${html}</li>\n`
    },
    blockquote({ tokens }: Tokens.Blockquote) {
      const html = this.parser.parse(tokens)
      const kind = /^<p>\[!(\w+)\]\s*/.exec(html)
      const name = kind && noteKinds[kind[1]!]
      if (!kind || !name) return `<blockquote>${html}</blockquote>\n`
      const body = html.replace(kind[0], '<p>')
      return `<div class="note note-${name.toLowerCase()}"><p class="note-title">${name}</p>${body}</div>\n`
    },
    code({ text, lang }: Tokens.Code) {
      addText(escapeHtml(text))
      const lines = escapeHtml(text).replace(/^(\s*(?:#|\/\/).*)$/gm, '<span class="remark">$1</span>')
      const label = lang ? ` data-language="${escapeHtml(lang)}"` : ''
      return `<div class="code"><pre${label}><code>${lines}\n</code></pre></div>\n`
    },
    table({ header, rows, align }: Tokens.Table) {
      const cell = (tag: 'th' | 'td', { tokens }: Tokens.TableCell, index: number) => {
        const html = this.parser.parseInline(tokens)
        const side = align[index] ? ` class="align-${align[index]}"` : ''
        return { html, text: `<${tag}${side}${tag === 'th' ? ' scope="col"' : ''}>${html}</${tag}>` }
      }
      const head = header.map((one, index) => cell('th', one, index))
      const body = rows.map((row) => {
        const cells = row.map((one, index) => cell('td', one, index))
        addText(cells.map(({ html }) => html).join(' '))
        const code = /^<code>([\w.-]+)<\/code>$/.exec(cells[0]?.html ?? '')?.[1]
        const id = code && !anchors.has(anchorOf(code)) ? ` id="${freeAnchor(code)}"` : ''
        return `<tr${id}>${cells.map(({ text }) => text).join('')}</tr>`
      })
      const isNamed = head.some(({ html }) => html !== '')
      const top = isNamed ? `<thead><tr>${head.map(({ text }) => text).join('')}</tr></thead>` : ''
      return `<div class="table"><table>${top}<tbody>${body.join('\n')}</tbody></table></div>\n`
    },
    link({ href, tokens }: Tokens.Link) {
      const html = this.parser.parseInline(tokens)
      const to = addresses.link(href)
      if (to === undefined) return html
      const isOutside = /^https?:/.test(to)
      return `<a href="${escapeHtml(to)}"${isOutside ? ' rel="noopener noreferrer"' : ''}>${html}</a>`
    },
    image({ href, text }: Tokens.Image) {
      return addresses.image(href, text)
    },
    html({ text }: Tokens.HTML | Tokens.Tag) {
      const id = /^<a id="([\w.-]+)">$/.exec(text)?.[1]
      if (id) anchors.add(id)
      if (id || text === '</a>') return text
      return /^\s*<!--/.test(text) ? '' : escapeHtml(text)
    },
  }
  const html = new Marked({ renderer }).parse(source) as string
  return {
    title,
    html,
    headings,
    anchors,
    sections: sections.map((section) => ({ ...section, text: section.text.trim() })),
  }
}
