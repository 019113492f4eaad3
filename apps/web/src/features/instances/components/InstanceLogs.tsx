import type { Instance } from '@app/contract'
import { CirclePause } from 'lucide-react'
import type { ReactNode } from 'react'
import { Banner } from '../../../ui/Banner.tsx'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Loading } from '../../../ui/Loading.tsx'
import { LogView } from '../../../ui/LogView.tsx'
import { unreachableText, useLogTail } from '../log-tail.ts'

/** The log of an instance, live. Without a runtime there is none to read [NRLOG-04]. */
export function InstanceLogs({
  instance,
  tools,
}: {
  instance: Pick<Instance, 'id' | 'name'> & Partial<Pick<Instance, 'meta'>>
  /** More for the toolbar. */
  tools?: ReactNode
}) {
  if (!instance.meta || (instance.meta.state === 'suspended' && !instance.meta.sleeping)) {
    return (
      <>
        {tools && <div className="flex justify-end">{tools}</div>}
        <EmptyState icon={<CirclePause />} title="Logs unavailable">
          The log can be read while the instance is not suspended. Start it to see what it writes.
        </EmptyState>
      </>
    )
  }
  return <Tail key={instance.id} id={instance.id} name={instance.name} tools={tools} />
}

function Tail({ id, name, tools }: { id: string; name: string; tools: ReactNode }) {
  const { lines, unreachable, loadEarlier, loadingEarlier } = useLogTail(id)
  return (
    <div className="flex min-h-80 flex-1 flex-col gap-3">
      {unreachable && <Banner kind="warning">{unreachableText}</Banner>}
      {lines || unreachable ? (
        <LogView
          lines={lines ?? []}
          name={name}
          tools={tools}
          onLoadEarlier={loadEarlier}
          loadingEarlier={loadingEarlier}
        />
      ) : (
        <Loading message="Loading logs..." />
      )}
    </div>
  )
}
