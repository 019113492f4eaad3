/** A piece of a line. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'bold' | 'italic'; parts: Inline[] }
  | { kind: 'link'; to: string; parts: Inline[] }

export type Block =
  | { kind: 'heading' | 'paragraph' | 'quote'; parts: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string }

/** Addresses that a link may have; anything else stays text. */
const safeAddress = /^(https?:\/\/|mailto:)[^\s<>"']+$/i
const inlinePattern =
  /`([^`]+)`|\*\*(?=\S)([\s\S]*?\S)\*\*|\*(?=\S)([\s\S]*?\S)\*|(?<!\w)_(?=\S)([\s\S]*?\S)_(?!\w)|\[([^\]]+)\]\(([^()\s]+)\)/g

function inline(text: string): Inline[] {
  const parts: Inline[] = []
  let from = 0
  const plain = (to: number) => {
    if (to > from) parts.push({ kind: 'text', text: text.slice(from, to) })
  }
  for (const match of text.matchAll(inlinePattern)) {
    const [whole, code, bold, star, underline, label, address] = match
    if (address !== undefined && !safeAddress.test(address)) continue
    plain(match.index)
    if (code !== undefined) parts.push({ kind: 'code', text: code })
    else if (bold !== undefined) parts.push({ kind: 'bold', parts: inline(bold) })
    else if (address !== undefined) parts.push({ kind: 'link', to: address, parts: inline(label!) })
    else parts.push({ kind: 'italic', parts: inline((star ?? underline)!) })
    from = match.index + whole.length
  }
  plain(text.length)
  return parts
}

const itemPattern = /^\s*(?:[-*+]|(\d+)[.)])\s+/

/**
 * Markdown as administrators write it in a description: headings, lists, quotes, code, bold, italic and links. HTML
 * in it is text like any other, so nothing that is written there can act.
 */
export function parseMarkdown(source: string): Block[] {
  const fenced = source.replaceAll('\r\n', '\n').split(/^```[^\n]*\n([\s\S]*?)^```\s*$/m)
  return fenced.flatMap((part, index): Block[] =>
    index % 2 === 1 ? [{ kind: 'code', text: part.replace(/\n$/, '') }] : part.split(/\n\s*\n/).flatMap(blocksOf),
  )
}

/** The blocks in lines without an empty one between them. */
function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let open: string[] = []
  const close = () => {
    if (open.length > 0) blocks.push({ kind: 'paragraph', parts: inline(open.join('\n')) })
    open = []
  }
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const item = itemPattern.exec(line)
    const last = blocks.at(-1)
    if (item) {
      close()
      const parts = inline(line.slice(item[0].length))
      const ordered = item[1] !== undefined
      const list = blocks.at(-1)
      if (list?.kind === 'list' && list.ordered === ordered) list.items.push(parts)
      else blocks.push({ kind: 'list', ordered, items: [parts] })
    } else if (/^#{1,6}\s/.test(line)) {
      close()
      blocks.push({ kind: 'heading', parts: inline(line.replace(/^#+\s+/, '')) })
    } else if (/^>\s?/.test(line)) {
      close()
      blocks.push({ kind: 'quote', parts: inline(line.replace(/^>\s?/, '')) })
    } else if (last?.kind === 'list' && open.length === 0 && /^\s/.test(line)) {
      last.items.at(-1)!.push(...inline(` ${line.trim()}`))
    } else open.push(line.trim())
  }
  close()
  return blocks
}
