import type { PasskeyAssertion, PasskeyAttestation } from '@app/contract'
import { browserSupportsWebAuthn, startAuthentication, startRegistration } from '@simplewebauthn/browser'

type Options = { challenge: string; [name: string]: unknown }

/** Why there are no passkeys here; undefined when there are. Browsers want a secure page under a name. */
export function passkeysMissing(): string | undefined {
  if (!isSecureContext) return 'Passkeys need this console to be served over HTTPS.'
  if (/^[\d.]+$|^\[/.test(location.hostname)) return 'Passkeys need this console to have a host name.'
  return browserSupportsWebAuthn() ? undefined : 'This browser does not support passkeys.'
}

/** The person closed the browser's own window, or let it time out. */
class PasskeyDeclined extends Error {}

/** @throws PasskeyDeclined when the person does not want to; Error with a sentence for everything else. */
export async function makePasskey(options: Options): Promise<PasskeyAttestation> {
  // The server made them with the same library; the contract passes them on as they are.
  return (await asking(() => startRegistration({ optionsJSON: options as never }))) as PasskeyAttestation
}

/** @throws PasskeyDeclined when the person does not want to; Error with a sentence for everything else. */
export async function askPasskey(options: Options): Promise<PasskeyAssertion> {
  return (await asking(() => startAuthentication({ optionsJSON: options }))) as PasskeyAssertion
}

async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const { name, message } = error as Error
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw new PasskeyDeclined('The browser was not given a passkey. Try again.', { cause: error })
    if (name === 'InvalidStateError')
      throw new Error('This device already has a passkey for your account.', { cause: error })
    throw new Error(message, { cause: error })
  }
}
