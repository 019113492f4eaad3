import { type SsoReason, ssoReasons } from '@app/contract'

/** The login page, which tells people the reason. */
export const loginPageFor = (reason: SsoReason): string => `/?sso=${reason}`

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
