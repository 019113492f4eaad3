import { ApiError } from './api.ts'
import { createCell } from './cell.ts'

type Answer = (proven: boolean) => void

/** The open question for ProofHost, if any. */
export const proofQuestion = createCell<Answer | undefined>(undefined)

/** Asks, from anywhere, who is there; ProofHost shows it. A second question answers the first with no. */
function askProof(): Promise<boolean> {
  proofQuestion.current()?.(false)
  return new Promise((resolve) => {
    proofQuestion.set((proven) => {
      proofQuestion.set(undefined)
      resolve(proven)
    })
  })
}

/** Makes a call, and where the server wants to be shown who is there asks the person and makes it again. */
export async function withProof<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'proof_required') || !(await askProof())) throw error
    return call()
  }
}
