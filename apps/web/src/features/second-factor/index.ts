import type { ComponentType } from 'react'
import { lazyPage } from '../../lib/lazy-page.ts'

export { ProofHost } from './components/ProofHost.tsx'

// Few sign-ins need them, so they are no part of the first load.
export const SecondStep = lazyPage(() => import('./components/SecondStep.tsx'), 'SecondStep') as ComponentType<{
  onBack: () => void
  onDone?: () => void
}>
export const RequireForAll = lazyPage(() => import('./components/RequireForAll.tsx'), 'RequireForAll')
export const Enrolment = lazyPage(() => import('./components/Enrolment.tsx'), 'Enrolment')
