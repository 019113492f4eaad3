import { type Letter, quoted } from '../mail/index.ts'
import type { UserRow } from './account.store.ts'

type Person = Pick<UserRow, 'email' | 'name'>
const hello = ({ name }: Person) => `Hello ${quoted(name)},`
/** A reader whose password was chosen by somebody else cannot change it any more. */
const notYourPassword =
  'If this was not you, request a new password on the login page (“Forgot your password”), or ask an administrator of the platform for one. Tell an administrator in any case.'
const notYou = 'If this was not you, change your password and tell an administrator of the platform.'

/** Every letter about an account. Nothing that a person wrote stands in a subject. */
export const letters = {
  verify: (user: Person, url: string): Letter => ({
    to: user.email,
    subject: 'Confirm your e-mail address',
    paragraphs: [hello(user), 'An account on FlowForge was created with this address. Confirm that it is yours.'],
    link: { label: 'Confirm the address', url },
    notes: ['The link works once, within 48 hours. If you did not sign up, ignore this mail.'],
  }),

  reset: (user: Person, url: string): Letter => ({
    to: user.email,
    subject: 'Choose a new password',
    paragraphs: [hello(user), 'Somebody, probably you, asked for a new password for your account on FlowForge.'],
    link: { label: 'Choose a new password', url },
    notes: ['The link works once, within 24 hours. If you did not ask for it, ignore this mail: nothing has changed.'],
  }),

  changeEmail: (user: Person, email: string, url: string): Letter => ({
    to: email,
    subject: 'Confirm your new e-mail address',
    paragraphs: [
      hello(user),
      'This address was entered as the new address of your account on FlowForge. Confirm that it is yours.',
    ],
    link: { label: 'Confirm the new address', url },
    notes: ['The link works once, within 48 hours, while you are signed in. Until then your former address stays.'],
  }),

  emailChanged: (user: Person, email: string): Letter => ({
    to: user.email,
    subject: 'Your e-mail address was changed',
    paragraphs: [
      hello(user),
      `The address of your account on FlowForge is now ${email}. Mail no longer goes to this one.`,
      notYou,
    ],
  }),

  passwordChanged: (user: Person): Letter => ({
    to: user.email,
    subject: 'Your password was changed',
    paragraphs: [
      hello(user),
      'The password of your account on FlowForge was changed, and all other sessions have ended.',
      notYourPassword,
    ],
  }),

  usernameChanged: (user: Person, username: string): Letter => ({
    to: user.email,
    subject: 'Your user name was changed',
    paragraphs: [
      hello(user),
      `The user name of your account on FlowForge is now ${quoted(username)}. You sign in with it, or with your address as before.`,
      notYou,
    ],
  }),

  signInsRefused: (user: Person, count: number, address: string): Letter => ({
    to: user.email,
    subject: 'Sign-ins to your account were refused',
    paragraphs: [
      hello(user),
      `Somebody entered a wrong password for your account on FlowForge ${count} times within a day, most recently from ${address}.`,
      'Nobody got in. If it was you, there is nothing to do. If it was not, make sure that you use this password nowhere else, and add a second factor in your settings.',
      'While this continues, you can sign in as usual from a browser that you have used before. From another one you may have to wait, or have a new password mailed to you at the login.',
    ],
  }),

  codesRefused: (user: Person, count: number, address: string): Letter => ({
    to: user.email,
    subject: 'Somebody has entered your password',
    paragraphs: [
      hello(user),
      `Somebody entered the right password of your account on FlowForge, and then ${count} times a wrong code for your second factor, most recently from ${address}.`,
      'Nobody got in. If it was not you, change your password now.',
    ],
  }),

  newSignIn: (user: Person, device: string, address: string): Letter => ({
    to: user.email,
    subject: 'New sign-in to your account',
    paragraphs: [
      hello(user),
      `Somebody, probably you, signed in to your account on FlowForge from a new browser: ${quoted(device)}, from ${address}.`,
      notYou,
    ],
  }),

  suspended: (user: Person): Letter => ({
    to: user.email,
    subject: 'Your account was suspended',
    paragraphs: [
      hello(user),
      'An administrator suspended your account on FlowForge. You cannot sign in until the suspension is lifted. Your teams keep what you created.',
    ],
  }),
}
