/* oxlint-disable react/no-array-index-key -- the pieces of a text have no names, and never change places */
import type { ReactNode } from 'react'
import { type Block, type Inline, parseMarkdown } from '../lib/markdown.ts'

/** A description in markdown. `plain`: inside a button or a label, where only text may stand: no links, no lists. */
export function Markdown({ text, plain = false }: { text: string; plain?: boolean }) {
  const blocks = parseMarkdown(text)
  if (plain) return <>{blocks.map((block, index) => plainBlock(block, index))}</>
  return (
    <div className="flex flex-col gap-2 break-words">{blocks.map((block, index) => renderBlock(block, index))}</div>
  )
}

function renderBlock(block: Block, key: number): ReactNode {
  if (block.kind === 'code')
    return (
      <pre key={key} className="mono overflow-x-auto rounded-md bg-page p-2 text-sm">
        {block.text}
      </pre>
    )
  if (block.kind === 'list') {
    const items = block.items.map((parts, index) => <li key={index}>{inlines(parts, true)}</li>)
    return block.ordered ? (
      <ol key={key} className="list-decimal pl-5">
        {items}
      </ol>
    ) : (
      <ul key={key} className="list-disc pl-5">
        {items}
      </ul>
    )
  }
  // A heading of the text is none of the page.
  if (block.kind === 'heading')
    return (
      <p key={key} className="font-semibold text-ink">
        {inlines(block.parts, true)}
      </p>
    )
  if (block.kind === 'quote')
    return (
      <blockquote key={key} className="border-l-2 pl-3">
        {inlines(block.parts, true)}
      </blockquote>
    )
  return <p key={key}>{inlines(block.parts, true)}</p>
}

function plainBlock(block: Block, key: number): ReactNode {
  if (block.kind === 'code')
    return (
      <code key={key} className="block">
        {block.text}
      </code>
    )
  const lines = block.kind === 'list' ? block.items : [block.parts]
  return lines.map((parts, index) => (
    <span key={`${key}-${index}`} className={block.kind === 'heading' ? 'block font-semibold' : 'block'}>
      {block.kind === 'list' && '• '}
      {inlines(parts, false)}
    </span>
  ))
}

const inlines = (parts: Inline[], links: boolean): ReactNode => parts.map((part, index) => piece(part, index, links))

function piece(part: Inline, key: number, links: boolean): ReactNode {
  if (part.kind === 'text') return part.text
  if (part.kind === 'code')
    return (
      <code key={key} className="mono">
        {part.text}
      </code>
    )
  const inner = inlines(part.parts, links)
  if (part.kind === 'bold') return <strong key={key}>{inner}</strong>
  if (part.kind !== 'link') return <em key={key}>{inner}</em>
  if (!links) return inner
  return (
    <a key={key} href={part.to} target="_blank" rel="noopener noreferrer" className="text-accent-text underline">
      {inner}
    </a>
  )
}
