import { type Letter, quoted } from '../mail/index.ts'
import type { UserRow } from './account.store.ts'

type Person = Pick<UserRow, 'email' | 'name'>
const hello = ({ name }: Person) => `Hello ${quoted(name)},`
/** A reader whose password was chosen by somebody else cannot change it any more. */
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

  signInsRefused: (user: Person, count: number, address: string): Letter => ({
    to: user.email,
    subject: 'Sign-ins to your account were refused',
    paragraphs: [
      hello(user),
      `somebody entered a wrong password for your account on FlowForge ${count} times within a day, most recently from ${address}.`,
      'Nobody got in. If it was you, there is nothing to do. If it was not, make sure that you use this password nowhere else, and add a second factor in your settings.',
      'While this goes on you can sign in as ever from a browser that you have used before. From another one you may have to wait, or have a new password mailed to you at the login.',
    ],
  }),

  codesRefused: (user: Person, count: number, address: string): Letter => ({
    to: user.email,
    subject: 'Somebody has entered your password',
    paragraphs: [
      hello(user),
      `somebody entered the right password of your account on FlowForge, and then ${count} times a wrong code of your second factor, most recently from ${address}.`,
      'Nobody got in. If it was not you, change your password now.',
    ],
  }),

  newSignIn: (user: Person, device: string, address: string): Letter => ({
    to: user.email,
    subject: 'New sign-in to your account',
    paragraphs: [
      hello(user),
      `somebody, probably you, signed in to your account on FlowForge from a browser that we do not know: ${quoted(device)}, from ${address}.`,
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
