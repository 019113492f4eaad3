import type { Instance } from '@app/contract'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { formatExact } from '../../../lib/dates.ts'
import { useNow } from '../../../lib/use-now.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { useChange } from '../changes.ts'
import { useInstanceAction } from '../instances.actions.ts'
import { runningReplicas } from '../replicas.ts'
import { restartText } from '../restart-text.ts'
import type { Action } from '../states.ts'

type Meta = Instance['meta']

/** States that the notice above the pages of an instance explains. */
export const hasNotice = (state: string): boolean => ['crashed', 'safe', 'unknown', 'error'].includes(state)

/** Says what is wrong with an instance, what follows, and offers what to do; nothing while all is well. */
export function StateNotice({ instance: { id, meta } }: { instance: Pick<Instance, 'id' | 'meta'> }) {
  const change = useChange(id)
  if (change) return null
  const notice = noticeOf(meta)
  if (!notice) return null
  return (
    <div className="mb-4">
      <Banner kind={notice.kind} action={<Act id={id} action={notice.action} label={notice.label} />}>
        {notice.text}
      </Banner>
    </div>
  )
}

function Act({ id, action, label }: { id: string; action: Action; label: string }) {
  const { mutate } = useInstanceAction()
  const may = useCan('project:change-status')
  return (
    may && (
      <Button size="sm" onClick={() => mutate({ id, action })}>
        {label}
      </Button>
    )
  )
}

interface Notice {
  kind: 'warning' | 'error'
  text: ReactNode
  action: Action
  label: string
}

function noticeOf(meta: Meta): Notice | undefined {
  const { state, reason, restart, notInForce, flowsStopped, replicas = [] } = meta
  const running = runningReplicas(meta)
  if (notInForce?.access)
    return {
      kind: 'error',
      text: (
        <>
          <b>Closed to everybody until the new protection takes effect.</b> Restart Node-RED to apply it.
        </>
      ),
      action: 'restart',
      label: 'Restart',
    }
  if (notInForce?.modules)
    return {
      kind: 'warning',
      text: (
        <>
          <b>Running with its previous modules.</b> {notInForce.modules}. Change the list under Settings, Palette, and
          restart.
        </>
      ),
      action: 'restart',
      label: 'Restart',
    }
  if (flowsStopped)
    return {
      kind: 'error',
      text: (
        <>
          <b>Node-RED runs, but its flows do not.</b>{' '}
          {flowsStopped.reason.replace(/^Its flows do not run: ./, (begin) => begin.slice(-1).toUpperCase())} Install
          what is missing in the editor, or remove the nodes that need it.
        </>
      ),
      action: 'restart',
      label: 'Restart',
    }
  if (running > 0 && hasNotice(state))
    return {
      kind: 'warning',
      text: (
        <>
          <b>
            {running} of {replicas.length} replicas running.
          </b>{' '}
          Requests go to the one that runs. {reason}
        </>
      ),
      action: 'restart',
      label: 'Restart',
    }
  switch (state) {
    case 'crashed':
      return {
        kind: 'error',
        text: (
          <>
            <b>Node-RED crashed.</b> {reason}
            {restart && <Countdown restart={restart} />}
          </>
        ),
        action: 'start',
        label: 'Start now',
      }
    case 'safe':
      return {
        kind: 'warning',
        text: (
          <>
            <b>Safe mode: the flows are stopped.</b>{' '}
            {reason ?? 'Node-RED crashed too often in a row. A deploy or a restart starts the flows again.'} Fix them in
            the editor first.
          </>
        ),
        action: 'restart',
        label: 'Restart',
      }
    case 'unknown':
      return {
        kind: 'error',
        text: (
          <>
            <b>The instance does not answer.</b> {reason}
          </>
        ),
        action: 'restart',
        label: 'Restart',
      }
    case 'error':
      return { kind: 'error', text: reason ?? 'The instance could not be started.', action: 'start', label: 'Start' }
    default:
      return undefined
  }
}

/** When Node-RED starts again after a crash. */
export function Countdown({ restart }: { restart: NonNullable<Meta['restart']> }) {
  const now = useNow(1_000)
  return (
    // The banner is read out; its seconds are not.
    <div className="num" title={formatExact(restart.at)} aria-live="off">
      {restartText(restart, now)}
    </div>
  )
}
