import { type SsoReason, ssoReasons } from '@app/contract'

/** A sign-in through a provider that is refused, with its reason and the words of the protocol. */
export class SsoRefusal extends Error {
  readonly reason: SsoReason
  readonly detail: string | undefined

  constructor(reason: SsoReason, detail?: string) {
    super(ssoReasons[reason])
    this.name = 'SsoRefusal'
    this.reason = reason
    this.detail = detail
  }
}
