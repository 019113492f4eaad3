import { ApiError } from './api.ts'

type Answer = (proven: boolean) => void
let open: Answer | undefined
const listeners = new Set<() => void>()

function change(next: Answer | undefined): void {
  open = next
  for (const listener of listeners) listener()
}

/** What ProofHost listens to. */
export const proofQuestion = {
  current: () => open,
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
}

/** Asks, from anywhere, who is there; ProofHost shows it. A second question answers the first with no. */
function askProof(): Promise<boolean> {
  open?.(false)
  return new Promise((resolve) => {
    change((proven) => {
      change(undefined)
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
