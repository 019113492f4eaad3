import { type Letter, quoted } from '../mail/index.ts'

interface Person {
  name: string
  email: string
}
interface Team {
  name: string
}

const hello = ({ name }: Person) => `Hello ${quoted(name)},`
const day = (time: number) => new Date(time).toISOString().slice(0, 10)
const days = (n: number) => (n === 1 ? '1 day' : `${n} days`)

/** Every letter about a trial. They go to the owners of the team. */
export const letters = {
  trialStarted: (person: Person, team: Team, endsAt: number, url: string): Letter => ({
    to: person.email,
    subject: 'Your trial has started',
    paragraphs: [
      hello(person),
      `The trial of your team ${quoted(team.name)} runs until ${day(endsAt)}. It includes one instance.`,
      'Set up payment details at any time. Nothing is charged for the instance of the trial before the trial ends.',
    ],
    link: { label: 'Open billing', url },
  }),

  trialEnding: (person: Person, team: Team, left: number, isPaid: boolean, url: string): Letter => ({
    to: person.email,
    subject: `Your trial ends in ${days(left)}`,
    paragraphs: [
      hello(person),
      `The trial of your team ${quoted(team.name)} ends in ${days(left)}.`,
      isPaid
        ? 'The instance of the trial is then added to your subscription.'
        : 'Its instances are suspended then, unless payment details are set up before. Suspended instances keep their flows.',
    ],
    link: { label: 'Open billing', url },
  }),

  trialEnded: (person: Person, team: Team, isPaid: boolean, url: string): Letter => ({
    to: person.email,
    subject: 'Your trial has ended',
    paragraphs: [
      hello(person),
      `The trial of your team ${quoted(team.name)} has ended.`,
      isPaid
        ? 'The instance of the trial is now part of your subscription.'
        : 'Its instances are suspended. They keep their flows, and start again once payment details are set up.',
    ],
    link: { label: 'Open billing', url },
  }),
}
