import type { Instance } from '@app/contract'
import { intervals } from '@app/contract/constants'
import { CirclePause } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useDebounced } from '../../../lib/use-debounced.ts'
import { useLogFilter } from '../../../lib/use-log-filter.ts'
import { useQueryText } from '../../../lib/use-query-state.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { type LogNodes, LogView } from '../../../ui/LogView.tsx'
import { Select } from '../../../ui/Select.tsx'
import { nodeLink, useEditorAddress } from '../../instances/index.ts'
import { logNodeLocation } from '../log-nodes.ts'
import { unreachableText } from '../log-tail.ts'
import { choicesOf, replicasOf } from '../replicas.ts'
import { useLogTail } from '../use-log-tail.ts'
import { NodeFilter } from './NodeFilter.tsx'

type Shown = Pick<Instance, 'id' | 'name' | 'ha'> & Partial<Pick<Instance, 'meta' | 'url' | 'settings'>>

/** The log of an instance, live. Without a runtime there is none to read [NRLOG-04]. */
export function InstanceLogs({
  instance,
  tools,
}: {
  instance: Shown
  /** More for the toolbar. */
  tools?: ReactNode
}) {
  if (!instance.meta || (instance.meta.state === 'suspended' && !instance.meta.sleeping)) {
    return (
      <>
        {tools && <div className="flex justify-end">{tools}</div>}
        <EmptyState icon={<CirclePause />} title="Logs unavailable">
          The log cannot be read while the instance is suspended. Start the instance to read it.
        </EmptyState>
      </>
    )
  }
  return (
    <Tail key={instance.id} instance={instance} replicas={instance.ha && replicasOf(instance.meta)} tools={tools} />
  )
}

function Tail(props: { instance: Shown; replicas: string[] | undefined; tools: ReactNode }) {
  const { instance, replicas, tools } = props
  const { id } = instance
  const [filter, setFilter] = useLogFilter()
  const search = useDebounced(filter.search, intervals.searchDebounce)
  const [node, setNode] = useQueryText('node')
  const editor = useEditorAddress(instance)
  const nodes = useMemo<LogNodes>(
    () => ({
      nameOf: logNodeLocation,
      hrefOf: (each) => editor && nodeLink(editor, each),
      onOnly: (each) => setNode(each.id),
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the way to set the address is another function each time
    [editor],
  )
  const asked = {
    ...(node === '' ? {} : { node }),
    ...(filter.level === 'all' ? {} : { level: filter.level }),
    ...(filter.only && search.trim() !== '' ? { search } : {}),
  }
  const { lines, unreachable, loadEarlier, loadingEarlier, full } = useLogTail(id, asked)
  const [replica, setReplica] = useQueryText('replica')
  const ids = useMemo(() => replicas && choicesOf(replicas, lines ?? nothing), [replicas, lines])
  const chosen = ids?.includes(replica) ? replica : ''
  const shown = useMemo(() => (chosen === '' ? lines : lines?.filter(({ src }) => src === chosen)), [lines, chosen])
  const [wasShown, setShown] = useState(false)
  if (lines && !wasShown) setShown(true)
  return (
    <div className="flex min-h-80 flex-1 flex-col gap-3">
      {node !== '' && (
        <NodeFilter
          instanceId={id}
          nodeId={node}
          lines={lines ?? nothing}
          editor={editor}
          onClear={() => setNode('')}
        />
      )}
      {unreachable && <Banner kind="warning">{unreachableText}</Banner>}
      {lines || unreachable || wasShown ? (
        <LogView
          lines={shown ?? nothing}
          showSource={ids !== undefined}
          nodes={nodes}
          empty={node === '' ? undefined : 'No lines of this node.'}
          filter={filter}
          onFilter={setFilter}
          onDownload={(format, isWhole) => download(id, { format, ...(isWhole ? {} : asked) })}
          tools={
            <>
              {ids && <ReplicaChoice ids={ids} value={chosen} onChange={setReplica} />}
              {tools}
            </>
          }
          onLoadEarlier={loadEarlier}
          loadingEarlier={loadingEarlier}
          loading={!lines && !unreachable}
          full={full}
        />
      ) : (
        <Loading message="Loading logs..." />
      )}
    </div>
  )
}

/** All replicas of an instance, or one by its id [NRLOG-08]. */
function ReplicaChoice(props: { ids: string[]; value: string; onChange: (value: string) => void }) {
  const options = [{ value: '', label: 'All' }, ...props.ids.map((id) => ({ value: id, label: id }))]
  return (
    <span className="inline-flex items-center gap-2">
      <span aria-hidden className="text-md text-muted">
        Replica
      </span>
      <Select inline label="Replica" value={props.value} options={options} onChange={props.onChange} />
    </span>
  )
}

const nothing: never[] = []

function download(id: string, query: Record<string, string>): void {
  const href = `/api/v1/projects/${id}/logs/download?${new URLSearchParams(query)}`
  Object.assign(document.createElement('a'), { href, download: '' }).click()
}
