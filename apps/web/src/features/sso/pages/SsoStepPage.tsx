import { SecondStep } from '../../second-factor/index.ts'
import { ownPath } from '../own-path.ts'

/** The second factor, after a provider has signed somebody in. */
export function SsoStepPage() {
  return <SecondStep onBack={() => location.replace('/')} onDone={() => location.replace(ownPath(location.search))} />
}
