import type { LogEntry } from '@app/contract'
import { X } from 'lucide-react'
import { Button } from '../../../ui/Button.tsx'
import { TextAnchor } from '../../../ui/TextLink.tsx'
import { nodeLink, nodeLocation, tabLink, useFlowNode } from '../../instances/index.ts'
import { nodeInLines } from '../log-nodes.ts'

/** Says which node the log is narrowed down to, and whether the flows still have it. */
export function NodeFilter({
  instanceId,
  nodeId,
  lines,
  editor,
  onClear,
}: {
  instanceId: string
  nodeId: string
  lines: readonly LogEntry[]
  editor: string | undefined
  onClear: () => void
}) {
  const { data: node } = useFlowNode(instanceId, nodeId)
  const name = node ? nameOf(node) : (nodeInLines(lines, nodeId) ?? nodeId)
  return (
    <div
      role="status"
      aria-label="Node"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border bg-panel px-4 py-2"
    >
      <span className="min-w-0 flex-1 basis-60 break-words">
        Lines of <b>{name}</b>
        <span className="mono text-muted"> {nodeId}</span>
        {node === null && <span className="text-warn-text"> · deleted: the deployed flows no longer have it</span>}
      </span>
      {node && editor && (
        <TextAnchor
          href={node.type === 'tab' || node.type === 'subflow' ? tabLink(editor, node) : nodeLink(editor, node)}
        >
          Open in editor
        </TextAnchor>
      )}
      <Button size="sm" icon={<X size={14} aria-hidden />} onClick={onClear}>
        Show all lines
      </Button>
    </div>
  )
}

const nameOf = (node: Parameters<typeof nodeLocation>[0]) =>
  node.type === 'tab' || node.type === 'subflow' ? `${node.name ?? node.id} (${node.type})` : nodeLocation(node)
