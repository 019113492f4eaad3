import type { Invitation } from '@app/contract'

/** The inviter: a user with an account, or an e-mail address alone [ATEAM-13]. */
export type Inviter = { name: string; username: string } | { external: true; email: string }

/** Display name of the inviter. */
export function inviterOf(invitor: Inviter): string {
  return 'external' in invitor ? invitor.email : invitor.name || invitor.username
}

/** Invited person, in lists: a user name, an address, or whoever has the link. */
export function inviteeName({ invitee }: Invitation): string {
  if ('link' in invitee) return 'Anyone with the link'
  return 'external' in invitee ? invitee.email : invitee.username
}
