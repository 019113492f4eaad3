import { useQuery } from '@tanstack/react-query'
import { api } from '../../../lib/api.ts'
import { Button } from '../../../ui/Button.tsx'
import { factorsQuery } from '../second-factor.queries.ts'
import { FactorDialog } from './FactorDialog.tsx'
import { ProofForm } from './ProofForm.tsx'

/** Asks who is there before a call is made once more. */
export function ProofDialog({ onAnswer }: { onAnswer: (proven: boolean) => void }) {
  const { data } = useQuery(factorsQuery)
  const kinds = [...new Set(data?.factors.map(({ kind }) => kind))]
  return (
    <FactorDialog
      title="Is it you?"
      onClose={() => onAnswer(false)}
      submit={(form) => (
        <Button variant="primary" type="submit" form={form}>
          Continue
        </Button>
      )}
    >
      {(form) => (
        <>
          <p className="text-muted">You signed in a while ago, and this change affects who can sign in.</p>
          <ProofForm
            id={form}
            kinds={kinds}
            onProof={async (proof) => {
              await api.call('secondFactor.prove', { body: { proof } })
              onAnswer(true)
            }}
          />
        </>
      )}
    </FactorDialog>
  )
}
