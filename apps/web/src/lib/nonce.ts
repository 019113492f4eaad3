import { setNonce } from 'get-nonce'

/**
 * Hands the nonce of this response to the libraries that add a <style> of their own (scroll lock, select).
 * Call before anything renders: what is added earlier is refused by the content security policy.
 */
export function readNonce(): void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content
  if (nonce) setNonce(nonce)
}
