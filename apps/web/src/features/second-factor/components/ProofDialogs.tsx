import type { Factor, FactorKind } from '@app/contract'
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { toast } from '../../../ui/toast.ts'
import { useNewRecoveryCodes, useRemoveFactor } from '../second-factor.queries.ts'
import { FactorDialog } from './FactorDialog.tsx'
import { ProofForm } from './ProofForm.tsx'

/** Removes a factor, after asking who is there. */
export function RemoveDialog({
  factor,
  kinds,
  last,
  required,
  onClose,
}: {
  factor: Factor
  kinds: readonly FactorKind[]
  /** It is the only one. */
  last: boolean
  /** The platform asks everyone for one. */
  required: boolean
  onClose: () => void
}) {
  const { mutateAsync: remove } = useRemoveFactor()
  return (
    <FactorDialog
      title={`Remove ${factor.name}`}
      onClose={onClose}
      submit={(form) => (
        <Button variant="danger" type="submit" form={form}>
          Remove
        </Button>
      )}
    >
      {(form) => (
        <>
          <p className="text-muted">{consequence(last, required)} Your other sessions end.</p>
          <ProofForm
            id={form}
            kinds={kinds}
            onProof={async (proof) => {
              await remove({ factorId: factor.id, proof })
              toast.success(`${factor.name} removed.`)
              onClose()
            }}
          />
        </>
      )}
    </FactorDialog>
  )
}

function consequence(last: boolean, required: boolean): string {
  if (!last) return 'It no longer signs you in.'
  const more = required ? ' This platform requires one: you are asked to add another at once.' : ''
  return `It is your last second factor: your password alone will sign you in, and your recovery codes stop working.${more}`
}

/** Makes new recovery codes, after asking who is there. */
export function RecoveryDialog({ kinds, onClose }: { kinds: readonly FactorKind[]; onClose: () => void }) {
  const { mutateAsync: renew } = useNewRecoveryCodes()
  const [codes, setCodes] = useState<readonly string[]>()
  return (
    <FactorDialog
      title="Make new recovery codes"
      codes={codes}
      onClose={onClose}
      submit={(form) => (
        <Button variant="primary" type="submit" form={form}>
          Make New Codes
        </Button>
      )}
    >
      {(form) => (
        <>
          <p className="text-muted">Your current codes stop working.</p>
          <ProofForm id={form} kinds={kinds} onProof={async (proof) => setCodes((await renew(proof)).recoveryCodes)} />
        </>
      )}
    </FactorDialog>
  )
}
