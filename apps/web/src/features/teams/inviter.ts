/** Who invites: somebody with an account, or somebody known by their address alone [ATEAM-13]. */
export type Inviter = { name: string; username: string } | { external: true; email: string }

/** How the one who invites is shown. */
export function inviterOf(invitor: Inviter): string {
  return 'external' in invitor ? invitor.email : invitor.name || invitor.username
}
