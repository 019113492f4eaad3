import type { DeviceAction, DeviceDetails } from '@app/contract'
import type { ReactNode } from 'react'
import { useCan } from '../../../lib/can.ts'
import { Banner } from '../../../ui/Banner.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Countdown } from '../../instances/index.ts'
import { useDeviceAction } from '../devices.actions.ts'

/** Says why the flows of a device do not run, what follows, and offers what to do; nothing while all is well. */
export function Trouble({ device: { id, status, trouble } }: { device: DeviceDetails }) {
  if (!trouble) return null
  const { reason, restart } = trouble
  switch (status) {
    case 'crashed':
      return (
        <Notice id={id} kind="error" action="start" label="Start now">
          <b className="font-semibold">Node-RED crashed.</b> {reason}
          {restart && <Countdown restart={restart} />}
        </Notice>
      )
    case 'safe':
      return (
        <Notice id={id} kind="warning" action="restart" label="Restart">
          <b className="font-semibold">Safe mode: the flows are stopped.</b> {reason} Set another target, or mend them
          in developer mode.
        </Notice>
      )
    case 'running':
      return (
        <Notice id={id} kind="error" action="restart" label="Restart">
          <b className="font-semibold">Node-RED runs without its flows.</b> {reason}
        </Notice>
      )
    case 'error':
      return (
        <Notice id={id} kind="error" action="restart" label="Restart">
          <b className="font-semibold">The flows do not run.</b> {reason}
        </Notice>
      )
    default:
      return null
  }
}

interface NoticeProps {
  id: string
  kind: 'warning' | 'error'
  action: DeviceAction
  label: string
  children: ReactNode
}

function Notice({ id, kind, action, label, children }: NoticeProps) {
  const { mutate: act, isPending } = useDeviceAction(id)
  const may = useCan('device:change-status')
  return (
    <Banner
      kind={kind}
      action={
        may && (
          <Button size="sm" loading={isPending} onClick={() => act(action)}>
            {label}
          </Button>
        )
      }
    >
      {children}
    </Banner>
  )
}
