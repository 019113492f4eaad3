import { type ComponentType, Suspense, useSyncExternalStore } from 'react'
import { lazyPage } from '../../../lib/lazy-page.ts'
import { proofQuestion } from '../../../lib/proof.ts'

const ProofDialog = lazyPage(() => import('./ProofDialog.tsx'), 'ProofDialog') as ComponentType<{
  onAnswer: (proven: boolean) => void
}>

/** Once, for who is signed in: shows what `withProof` asks. */
export function ProofHost() {
  const answer = useSyncExternalStore(proofQuestion.subscribe, proofQuestion.current)
  return <Suspense>{answer && <ProofDialog onAnswer={answer} />}</Suspense>
}
