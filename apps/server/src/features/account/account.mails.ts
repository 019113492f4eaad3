import { type Letter, quoted } from '../mail/index.ts'
import type { UserRow } from './account.store.ts'

type Person = Pick<UserRow, 'email' | 'name'>
const hello = ({ name }: Person) => `Hello ${quoted(name)},`
/** Who reads this after somebody else chose the password cannot change it any more. */
const notYourPassword =
  'If this was not you, have a new one mailed to you at the login (“Forgot your password”), or ask an administrator of the platform for it. Tell an administrator in any case.'
const notYou = 'If this was not you, change your password and tell an administrator of the platform.'

/** Every letter about an account. Nothing that a person wrote stands in a subject. */
export const letters = {
  verify: (user: Person, url: string): Letter => ({
    to: user.email,
    subject: 'Confirm your e-mail address',
    paragraphs: [hello(user), 'an account on FlowForge was made with this address. Confirm that it is yours.'],
    link: { label: 'Confirm the address', url },
    notes: ['The link works for 48 hours, once. If you did not sign up, leave this mail alone.'],
  }),

  reset: (user: Person, url: string): Letter => ({
    to: user.email,
    subject: 'Choose a new password',
    paragraphs: [hello(user), 'somebody, probably you, asked for a new password of your account on FlowForge.'],
    link: { label: 'Choose a new password', url },
    notes: [
      'The link works for 24 hours, once. If you did not ask for it, leave this mail alone: nothing has changed.',
    ],
  }),

  changeEmail: (user: Person, email: string, url: string): Letter => ({
    to: email,
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      hello(user),
      'this address is to become the one of your account on FlowForge. Confirm that it is yours.',
    ],
    link: { label: 'Confirm the new address', url },
    notes: ['The link works for 48 hours, once, while you are signed in. Until then your former address stays.'],
  }),

  emailChanged: (user: Person, email: string): Letter => ({
    to: user.email,
    subject: 'Your e-mail address was changed',
    paragraphs: [
      hello(user),
      `the address of your account on FlowForge is ${email} from now on. Mail no longer goes to this one.`,
      notYou,
    ],
  }),

  passwordChanged: (user: Person): Letter => ({
    to: user.email,
    subject: 'Your password was changed',
    paragraphs: [
      hello(user),
      'the password of your account on FlowForge was changed, and all other sessions have ended.',
      notYourPassword,
    ],
  }),

  usernameChanged: (user: Person, username: string): Letter => ({
    to: user.email,
    subject: 'Your user name was changed',
    paragraphs: [
      hello(user),
      `the user name of your account on FlowForge is ${quoted(username)} from now on. You sign in with it, or with your address as before.`,
      notYou,
    ],
  }),

  suspended: (user: Person): Letter => ({
    to: user.email,
    subject: 'Your account was suspended',
    paragraphs: [
      hello(user),
      'an administrator suspended your account on FlowForge. You cannot sign in until that is lifted; your teams keep what you made.',
    ],
  }),
}
