import { useIsMutating, useQuery } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { keys } from '../../../lib/api-keys.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { userQuery } from '../../account/index.ts'
import { RecoveryCodes } from './RecoveryCodes.tsx'

/** The window of every change: a form with its button, and at the end the recovery codes when there are new ones. */
export function FactorDialog({
  title,
  codes,
  onClose,
  submit,
  children,
}: {
  title: string
  codes?: readonly string[] | undefined
  onClose: () => void
  submit: (form: string) => ReactNode
  children: (form: string) => ReactNode
}) {
  const form = useId()
  // Not useUser: the gate that asks for a factor stands before there is one.
  const { data: user } = useQuery(userQuery)
  // The answer may have recovery codes, which are shown this once.
  const isBusy = useIsMutating({ mutationKey: keys.secondFactors }) > 0
  const footer = codes ? (
    <Button variant="primary" onClick={onClose}>
      I have saved them
    </Button>
  ) : (
    <>
      <Button disabled={isBusy} onClick={onClose}>
        Cancel
      </Button>
      {submit(form)}
    </>
  )
  return (
    <Dialog open onClose={onClose} busy={isBusy} title={codes ? 'Your recovery codes' : title} footer={footer}>
      {codes ? <RecoveryCodes codes={codes} username={user?.username ?? ''} /> : children(form)}
    </Dialog>
  )
}
