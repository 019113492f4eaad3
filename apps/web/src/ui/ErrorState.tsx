import { CloudAlert, LockKeyhole, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'

/** Something failed: what, what to do, and Retry where trying again can help. */
export function ErrorState({
  title = 'This could not be loaded',
  children,
  onRetry,
  retrying,
}: {
  title?: string
  children?: ReactNode
  onRetry?: () => void
  retrying?: boolean
}) {
  return (
    <Message icon={<CloudAlert size={20} />} tone="bg-bad-soft text-bad-text" title={title}>
      {children && <div className="text-balance text-muted">{children}</div>}
      {onRetry && (
        <Button className="mt-2" icon={<RotateCw size={16} />} loading={retrying ?? false} onClick={onRetry}>
          Retry
        </Button>
      )}
    </Message>
  )
}

/** The person may not see this. Say in `children` which role is needed and who can give it. */
export function NotAllowed({ title = 'No Access', children }: { title?: string; children: ReactNode }) {
  return (
    <Message icon={<LockKeyhole size={20} />} tone="bg-idle-soft text-muted" title={title}>
      <div className="text-balance text-muted">{children}</div>
    </Message>
  )
}

function Message(props: { icon: ReactNode; tone: string; title: string; children?: ReactNode }) {
  return (
    <div role="alert" className="grid place-items-center px-4 py-16 text-center sm:py-24">
      <div className="flex max-w-110 flex-col items-center gap-3">
        <span aria-hidden className={`grid size-12 place-items-center rounded-xl ${props.tone}`}>
          {props.icon}
        </span>
        <h2 className="text-lg text-balance">{props.title}</h2>
        {props.children}
      </div>
    </div>
  )
}
