import type { LogNode } from '@app/contract'
import { ListFilter } from 'lucide-react'

/** Actions on the nodes that wrote the lines of a log. */
export interface LogNodes {
  /** A node with its tab, in words. */
  nameOf(node: LogNode): string
  /** Where the editor shows it; undefined while it cannot be opened. */
  hrefOf(node: LogNode): string | undefined
  /** Shows the lines of this node alone. */
  onOnly(node: LogNode): void
}

const look = 'inline-block max-w-40 truncate rounded-sm align-bottom text-muted'

/** Before a message: the tab of its node, which leads to the node in the editor, and to its other lines. */
export function LogNodeMark({ node, nodes }: { node: LogNode; nodes: LogNodes }) {
  const name = nodes.nameOf(node)
  const href = nodes.hrefOf(node)
  // A configuration node is on no tab.
  const tab = node.tab ? node.tab.label || node.tab.id : (node.name ?? node.id)
  return (
    <>
      {href === undefined ? (
        <span className={look} title={name}>
          {tab}
        </span>
      ) : (
        <a
          className={`${look} underline decoration-dotted underline-offset-2 hover:text-accent-text`}
          href={href}
          target="_blank"
          rel="noreferrer"
          title={`Open ${name} in the editor`}
          aria-label={`Open node ${name}`}
        >
          {tab}
        </a>
      )}
      <button
        type="button"
        className="mr-2 ml-1 inline-block rounded-sm px-0.5 align-bottom text-muted hover:bg-selected hover:text-ink"
        title={`Only lines of ${name}`}
        aria-label={`Only lines of ${name}`}
        onClick={() => nodes.onOnly(node)}
      >
        <ListFilter size={12} aria-hidden className="inline" />
      </button>
    </>
  )
}
