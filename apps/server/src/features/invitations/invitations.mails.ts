import { roleName } from '@app/contract'
import { type Letter, quoted } from '../mail/index.ts'

export interface Invited {
  to: string
  invitor: string
  team: string
  role: number
}

const notes = ['The invitation is valid for 7 days. If you do not know who invited you, ignore this mail.']

/** Nothing that a person wrote stands in a subject. */
export const letters = {
  toUser: ({ to, invitor, team, role }: Invited, baseUrl: string): Letter => ({
    to,
    subject: 'You are invited into a team',
    paragraphs: [
      'Hello,',
      `${quoted(invitor)} invites you into the team ${quoted(team)} on FlowForge, as ${roleName(role)}.`,
    ],
    link: { label: 'See the invitation', url: `${baseUrl}/account/teams/invitations` },
    notes,
  }),

  /** A sign-up with the code has shown that the address is the person's, so it is not confirmed again. */
  toAddress: ({ to, invitor, team, role }: Invited, baseUrl: string, code: string): Letter => ({
    to,
    subject: 'You are invited to FlowForge',
    paragraphs: [
      'Hello,',
      `${quoted(invitor)} invites you into the team ${quoted(team)} on FlowForge, where teams build and run Node-RED flows, as ${roleName(role)}. Sign up with this address to join.`,
    ],
    link: { label: 'Sign up', url: `${baseUrl}/account/create?email=${encodeURIComponent(to)}&code=${code}` },
    notes,
  }),
}
